// "That is a 七": two clicks, or a numeral and the key of a digit; and the gallery of what was taught.
import { element } from "./draw.js";
import { arrange, labelOfKey } from "./labels.js";
import { get, on, post } from "./link.js";
import { text } from "./texts.js";

const box = document.getElementById("teach");
const row = document.getElementById("teach-labels");
const said = document.getElementById("teach-said");
const sure = document.getElementById("teach-sure");
const gallery = document.getElementById("hand");
let teaches = false; // whether the service has a hand
let chosen = null; // the decision and the numeral that the dialog shows
let read = null; // what that numeral was read as
let doubted = null; // the label that the service asks about

function doubtOf({ alike, turned }, label) {
  const why = [];
  if (alike?.length) why.push(text("doubt.alike", { labels: alike.join(" ") }));
  if (turned?.length) why.push(text("doubt.turned", { label, labels: turned.join(" ") }));
  return text("teach.doubt", { label, doubt: why.join(text("doubt.and")) });
}

async function teach(label, isSure = false) {
  const answer = await post("/teach", { ...chosen, label, ...(isSure ? { sure: true } : {}) });
  doubted = answer.doubt ? label : null;
  sure.hidden = !doubted;
  const still = answer.read && answer.read !== label;
  const done = text(still ? "teach.still" : "teach.done", { label, read: answer.read });
  said.textContent = answer.error ?? (doubted ? doubtOf(answer, label) : done);
  if (doubted) sure.focus();
  await showHand();
}

// Called when the dialog opens on a numeral, which the service may not have any more.
export function offerTeaching(decision, numeral, label, isKept) {
  chosen = { decision, numeral };
  read = label;
  arrange(row, label, (other) => teach(other));
  box.hidden = !teaches || !isKept;
  said.textContent = "";
  sure.hidden = true;
}

async function showHand() {
  const answer = await get("/hand");
  const samples = answer.samples ?? [];
  document.getElementById("hand-said").textContent = answer.error ?? text("hand.count", { count: samples.length });
  document.getElementById("hand-all").hidden = !samples.length && !answer.error;
  gallery.replaceChildren(...samples.map((sample) => {
    const item = element("li");
    const image = element("img");
    image.src = `data:image/png;base64,${sample.picture}`;
    image.alt = "";
    const button = element("button", "", text("hand.forget"));
    button.type = "button";
    button.setAttribute("aria-label", text("hand.forget.one", sample));
    button.addEventListener("click", () => forget({ sample: sample.sample }));
    item.append(image, element("b", "", sample.label), button);
    return item;
  }));
}

async function forget(what) {
  const answer = await post("/forget", what);
  await showHand();
  if (answer.error) document.getElementById("hand-said").textContent = answer.error;
}

export function startTeach() {
  on("service", (event) => {
    if (event.teaches === undefined || event.teaches === null) return;
    teaches = event.teaches;
    document.getElementById("tab-hand").hidden = !teaches;
  });
  document.getElementById("steps").addEventListener("keydown", (event) => {
    const label = labelOfKey(event.key, read);
    if (label && !box.hidden && !event.ctrlKey && !event.metaKey && !event.altKey) teach(label);
  });
  sure.addEventListener("click", () => teach(doubted, true));
  document.getElementById("tab-hand").addEventListener("click", showHand);
  document.getElementById("hand-clear").addEventListener("click", () => forget({ all: true }));
}
