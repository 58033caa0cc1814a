// Where the camera looks and how: sharpness, light, size and tilt; the region; settings, tried at once, kept on demand.
import { drawBox, svgElement } from "./draw.js";
import { on, post } from "./link.js";
import { drawWith } from "./rectangle.js";
import { text } from "./texts.js";

const LEAST_SIZE = 0.028;
const MOST_SIZE = 0.75;
const MOST_TILT = 15; // degrees
const MOST_LOST = 0.02; // share of pixels without detail
const LEAST_LIGHT = 0.2;
export const LEAST_SIDE = 16; // pixels of a region
const SWITCH = { true: true, false: false }; // a choice of two is no text

const boxes = document.getElementById("boxes");
const said = document.getElementById("said");
const sides = ["x", "y", "width", "height"].map((name) => document.getElementById(`region-${name}`));
let best = 0;
let inForce = []; // the region

function judge(name, words, good) {
  const place = document.getElementById(name);
  place.textContent = words;
  place.className = good === undefined ? "" : good ? "good" : "bad";
}

function showAim({ sharpness, dark, bright, light }) {
  best = Math.max(best, sharpness);
  const meter = document.getElementById("sharpness");
  meter.max = Math.max(best, 0.01);
  meter.value = sharpness;
  const share = Math.round((100 * sharpness) / Math.max(best, 0.01));
  document.getElementById("sharpness-text").textContent = text("aim.of.best", { sharpness, best, share });
  const percent = (part) => Math.round(1000 * part) / 10;
  const fault = bright > MOST_LOST ? "bright" : dark > MOST_LOST || light < LEAST_LIGHT ? "dark" : "good";
  const values = { light: percent(light), dark: percent(dark), bright: percent(bright) };
  judge("light", text(`aim.light.${fault}`, values), fault === "good");
}

function showWriting(writing) {
  const { size = null, tilt = null } = writing ?? {};
  if (size === null) {
    judge("size", text("aim.none"));
  } else {
    const fault = size < LEAST_SIZE ? "small" : size > MOST_SIZE ? "large" : "good";
    judge("size", text(`aim.size.${fault}`, { size: Math.round(1000 * size) / 10 }), fault === "good");
  }
  if (tilt === null) judge("tilt", text("aim.tilt.none"));
  else judge("tilt", text("aim.degrees", { tilt }), Math.abs(tilt) <= MOST_TILT);
}

function showRegion(region) {
  boxes.querySelectorAll(".area").forEach((old) => old.remove());
  sides.forEach((input, place) => {
    input.value = region.length ? region[place] : "";
    input.setAttribute("aria-invalid", false);
  });
  if (region.length) {
    const group = svgElement("g", { class: "area" });
    drawBox(group, region, "region");
    boxes.append(group);
  }
}

function showSettings(settings) {
  for (const input of document.querySelectorAll("[data-setting]")) {
    const [section, key] = input.dataset.setting.split(".");
    if (!settings[section] || document.activeElement === input) continue;
    input.value = settings[section][key];
    input.setAttribute("aria-invalid", false);
  }
  inForce = settings.page?.region ?? [];
  if (!sides.includes(document.activeElement)) showRegion(inForce);
}

export function say(words, isFault = false) {
  said.textContent = words;
  said.className = isFault ? "fault" : "";
}

// Tries settings; returns the fault, if there is one.
export async function set(changes) {
  const answer = await post("/set", { set: changes });
  say(answer.error ?? text("aim.tried"), Boolean(answer.error));
  best = 0;
  return answer.error;
}

function startDrawing() {
  drawWith(document.getElementById("region-draw"), showRegion, (region) => {
    if (Math.min(region[2], region[3]) >= LEAST_SIDE) set({ "page.region": region });
    else say(text("aim.region.small"), true);
  }, () => showRegion(inForce));
}

function startForm() {
  document.getElementById("settings").addEventListener("submit", (event) => event.preventDefault());
  for (const input of document.querySelectorAll("[data-setting]")) {
    input.addEventListener("change", async () => {
      if (input.value === "") {
        say(text("aim.empty"), true); // 0 is a value of its own
        input.setAttribute("aria-invalid", true);
        return;
      }
      const value = input.type === "number" ? Number(input.value) : (SWITCH[input.value] ?? input.value);
      input.setAttribute("aria-invalid", Boolean(await set({ [input.dataset.setting]: value })));
    });
  }
  for (const input of sides) {
    input.addEventListener("change", async () => {
      if (sides.some((one) => one.value === "")) return;
      const fault = await set({ "page.region": sides.map((one) => Number(one.value)) });
      sides.forEach((one) => one.setAttribute("aria-invalid", Boolean(fault)));
    });
  }
  document.getElementById("region-all").addEventListener("click", () => set({ "page.region": [] }));
  document.getElementById("sharpness-anew").addEventListener("click", () => {
    best = 0;
  });
  document.getElementById("keep").addEventListener("click", async () => {
    const answer = await post("/keep");
    say(answer.error ?? text("aim.kept", answer), Boolean(answer.error));
  });
  document.getElementById("undo").addEventListener("click", async () => {
    const answer = await post("/undo");
    say(answer.error ?? text("aim.undone"), Boolean(answer.error));
  });
}

export function startAim() {
  startForm();
  startDrawing();
  showWriting(null);
  on("aim", showAim);
  on("decision", (event) => showWriting(event.decision.writing));
  on("decisions", (event) => showWriting(event.decisions.at(-1)?.writing));
  on("service", (event) => {
    if (event.settings) showSettings(event.settings);
  });
}
