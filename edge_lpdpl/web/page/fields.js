// The fields of a form that lies still: drawn on the picture, named, each with its model and number of characters.
import { LEAST_SIDE, say, set } from "./aim.js";
import { drawBox, element, svgElement } from "./draw.js";
import { on } from "./link.js";
import { drawWith } from "./rectangle.js";
import { text } from "./texts.js";

const boxes = document.getElementById("boxes");
const list = document.getElementById("fields");
const draw = document.getElementById("field-draw");
let fields = [];
let models = [];
let known = "";

function showBoxes(more = []) {
  boxes.querySelectorAll(".fields").forEach((old) => old.remove());
  const group = svgElement("g", { class: "fields" });
  for (const { region, name } of [...fields, ...more]) drawBox(group, region, "field", name);
  boxes.append(group);
}

async function change(wanted) {
  const fault = await set({ "form.align": "none", field: wanted });
  if (fault) showList();
}

// A name that no field has yet.
function freshName() {
  const taken = new Set(fields.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = text("fields.new", { number });
    if (!taken.has(name)) return name;
  }
}

function input(field, key, made) {
  const label = element("label");
  made.value = field[key] || "";
  made.dataset.field = key;
  made.addEventListener("change", () => {
    const value = key === "length" ? Number(made.value) : made.value.trim();
    change(fields.map((one) => (one === field ? { ...one, [key]: value } : one)));
  });
  label.append(element("span", "", text(`fields.${key}`)), made);
  return label;
}

function itemOf(field) {
  const item = element("li");
  const length = element("input");
  [length.type, length.min, length.max, length.placeholder] = ["number", 0, 16, text("fields.any")];
  const model = element("select");
  const all = [...new Set(["", ...models, field.model ?? ""])];
  model.append(...all.map((name) => {
    const option = element("option", "", name || text("fields.usual"));
    option.value = name;
    return option;
  }));
  const remove = element("button", "", text("fields.remove"));
  remove.type = "button";
  remove.setAttribute("aria-label", text("fields.remove.one", field));
  remove.addEventListener("click", () => change(fields.filter((one) => one !== field)));
  item.append(input(field, "name", element("input")), input(field, "model", model), input(field, "length", length), remove);
  return item;
}

function showList() {
  list.replaceChildren(...fields.map(itemOf));
}

export function startFields() {
  drawWith(draw, (region) => showBoxes([{ region, name: "" }]), (region) => {
    showBoxes();
    if (Math.min(region[2], region[3]) < LEAST_SIDE) say(text("aim.region.small"), true);
    else change([...fields, { name: freshName(), region }]);
  }, () => showBoxes());
  on("service", ({ settings, models: shipped }) => {
    if (!settings?.form || JSON.stringify([settings.field, settings.form, shipped]) === known) return;
    known = JSON.stringify([settings.field, settings.form, shipped]);
    const onPaper = settings.field.length > 0 && settings.form.align === "marks"; // in millimetres of a printed sheet
    document.getElementById("fields-printed").hidden = !onPaper;
    draw.hidden = onPaper;
    models = shipped ?? [];
    fields = onPaper ? [] : settings.field;
    showList();
    showBoxes();
  });
}
