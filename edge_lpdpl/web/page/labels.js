// The characters that something may be: those of the model that read it first, so that a key is one of them.
import { element } from "./draw.js";
import { on } from "./link.js";

let labels = [];

export function startLabels() {
  on("service", (event) => {
    if (event.labels) labels = event.labels;
  });
}

function ordered(read) {
  const models = labels.find(({ label }) => label === read)?.models ?? [];
  const isNear = (one) => one.models.some((model) => models.includes(model));
  return [...labels.filter(isNear), ...labels.filter((one) => !isNear(one))];
}

// The label that a key stands for, a digit or the character itself, of something that was read as `read`.
export function labelOfKey(key, read) {
  return ordered(read).find((one) => String(one.value) === key || one.label === key)?.label;
}

// Buttons in `row`, one for each label; `choose`, the same one each time, is called with that of the one that is pressed.
export function arrange(row, read, choose) {
  const all = ordered(read);
  const order = all.map(({ label }) => label).join(" ");
  if (row.dataset.order === order) return; // one of them may have the focus
  row.dataset.order = order;
  row.replaceChildren(...all.map(({ label }) => {
    const button = element("button", "", label);
    button.type = "button";
    button.addEventListener("click", () => choose(label));
    return button;
  }));
}
