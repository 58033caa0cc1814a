// Starts the page: words, tabs, the state of the service.
import { startAim } from "./aim.js";
import { startCollect } from "./collect.js";
import { connect, on } from "./link.js";
import { startFields } from "./fields.js";
import { startLabels } from "./labels.js";
import { startSee } from "./see.js";
import { startTeach } from "./teach.js";
import { language, loadTexts, text } from "./texts.js";

function startTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const shown = () => tabs.filter((tab) => !tab.hidden);
  const select = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        const all = shown();
        const next = all[(all.indexOf(tab) + step + all.length) % all.length];
        next.focus();
        next.click();
      }
    });
  }
}

function startLanguage() {
  const button = document.getElementById("language");
  button.textContent = text("language.name");
  button.addEventListener("click", () => {
    localStorage.setItem("language", language() === "zh" ? "en" : "zh");
    location.reload();
  });
}

await loadTexts();
startTabs();
startLanguage();
startLabels();
startSee();
startAim();
startFields();
startTeach();
startCollect();
on("service", ({ connected, fault }) => {
  const state = document.getElementById("state");
  state.textContent = text(connected ? "state.connected" : `state.${["page", "full"].includes(fault) ? fault : "gone"}`);
  state.className = connected ? "" : "gone";
  document.getElementById("stage").classList.toggle("gone", !connected);
  document.getElementById("read").disabled = !connected;
});
connect();
