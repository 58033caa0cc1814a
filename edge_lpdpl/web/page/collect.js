// Collected numerals, the most doubtful first: a click or the key of a digit says what each one is.
import { get, on, post } from "./link.js";
import { percent, text } from "./texts.js";
import { arrange, labelOfKey } from "./labels.js";

const ofId = (name) => document.getElementById(`collect-${name}`);
const panel = ofId("panel");
const labels = ofId("labels");
let waiting = []; // the pictures that come next, the one that is shown first
let skipped = 0;
let last = null; // the picture that was labelled last

function say(answer) {
  if (!answer.error) ofId("file").hidden = !answer.labelled;
  ofId("said").textContent = answer.error ?? text("collect.count", answer);
}

function show() {
  const [one] = waiting;
  ofId("one").hidden = !one;
  ofId("back").disabled = !last;
  if (!one) return;
  ofId("picture").src = `data:image/png;base64,${one.png}`;
  const sure = percent(1 - (one.doubt % 1000) / 1000);
  arrange(labels, one.read, (label) => settle("/label", { label }));
  ofId("read").textContent = text(one.doubt >= 1000 ? "collect.doubtful" : "collect.read", { label: one.read, sure });
}

async function fill() {
  if (!waiting.length) {
    const answer = await get(`/collected/${skipped}`);
    say(answer);
    waiting = (answer.collected ?? []).filter((one) => one.length);
  }
  show();
}

async function settle(path, body) {
  const [one] = waiting;
  if (!one) return;
  const answer = await post(path, { picture: one.picture, ...body });
  say(answer);
  if (answer.error) return;
  waiting.shift();
  last = path === "/label" ? one : null;
  await fill();
}

async function skip() {
  waiting.shift();
  skipped += 1;
  await fill();
}

async function back() {
  if (!last) return;
  const answer = await post("/label", { picture: last.picture, label: null });
  say(answer);
  if (answer.error) return;
  waiting.unshift(last);
  last = null;
  show();
}

function start() {
  [waiting, skipped, last] = [[], 0, null];
  fill();
}

function press(event) {
  if (panel.hidden || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
  const label = waiting.length && labelOfKey(event.key, waiting[0].read);
  if (label) settle("/label", { label });
  else if (event.key === "Delete") settle("/discard", {});
  else if (event.key === "Backspace") back();
}

export function startCollect() {
  on("service", ({ collect }) => {
    if (collect) document.getElementById("tab-collect").hidden = collect.what === "off" && !collect.pictures;
  });
  document.addEventListener("keydown", press);
  document.getElementById("tab-collect").addEventListener("click", start);
  ofId("skip").addEventListener("click", skip);
  ofId("discard").addEventListener("click", () => settle("/discard", {}));
  ofId("back").addEventListener("click", back);
}
