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
let turn = Promise.resolve(); // ends when all that was asked for is done: the service answers later than a hand types

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

function next(work) {
  turn = turn.then(work);
}

// The picture gives way to the next one at once, so that the next key is about that one.
function settle(path, body) {
  const one = waiting.shift();
  if (!one) return;
  last = path === "/label" ? one : null;
  show();
  next(async () => {
    const answer = await post(path, { picture: one.picture, ...body });
    say(answer);
    if (answer.error) {
      waiting.push(one); // not in front: another one is looked at by now
      if (last === one) last = null;
    }
    await fill();
  });
}

function skip() {
  if (!waiting.shift()) return;
  skipped += 1;
  show();
  next(fill);
}

function back() {
  const one = last;
  if (!one) return;
  last = null;
  waiting.unshift(one);
  show();
  next(async () => {
    const answer = await post("/label", { picture: one.picture, label: null });
    say(answer);
  });
}

function start() {
  next(() => {
    [waiting, skipped, last] = [[], 0, null];
    return fill();
  });
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
