// The live picture with what was read in it, and the last hundred decisions.
import { drawBox, element, svgElement } from "./draw.js";
import { get, on, post } from "./link.js";
import { drawSteps } from "./steps.js";
import { offerTeaching } from "./teach.js";
import { percent, reason, text } from "./texts.js";

const MOST = 100;
const picture = document.getElementById("picture");
const boxes = document.getElementById("boxes");
const list = document.getElementById("decisions");
let decisions = [];

const kindOf = (one) => (one.rejected ? "rejected" : "accepted");
// Whether a box lies in that of a number without a doubt: then what was left out is no writing, and needs no label.
const isWithin = ([x, y, width, height], numbers) => numbers.some(({ rejected, box }) => (
  !rejected && x + width / 2 >= box[0] && x + width / 2 <= box[0] + box[2]
    && y + height / 2 >= box[1] && y + height / 2 <= box[1] + box[3]));
const said = (number) => (number.rejected ? `${number.text}?` : number.text);

// The fields of a form: the name of each number that is one, and the names of those in which nothing is read.
function fieldsOf({ fields, numbers, unread }) {
  const all = unread.some((one) => one.reason === "no_marks") ? [] : Object.entries(fields ?? {});
  const places = numbers.map((one) => JSON.stringify(one));
  const names = new Map(all.map(([name, number]) => [places.indexOf(JSON.stringify(number)), name]));
  return { names, empty: all.filter(([, number]) => number === null).map(([name]) => name) };
}

const named = (name, words) => (name === undefined ? words : text("see.named", { name, words }));

function drawDecision(message) {
  boxes.querySelectorAll(".decision").forEach((old) => old.remove());
  const [below, group] = [svgElement("g", { class: "decision" }), svgElement("g", { class: "decision" })];
  const taken = [];
  for (const one of message.numbers) {
    drawBox(group, one.box, kindOf(one), one.reason ? `${said(one)} ${reason(one.reason)}` : said(one), taken);
  }
  for (const one of message.unread) {
    drawBox(below, one.box, "unread", isWithin(one.box, message.numbers) ? "" : reason(one.reason), taken);
  }
  boxes.append(below, group);
  const { names, empty } = fieldsOf(message);
  const words = (one) => (one.rejected ? `${said(one)} (${reason(one.reason)})` : one.text);
  const read = message.numbers.map((one, place) => named(names.get(place), words(one)));
  const nothing = empty.map((name) => named(name, text("see.nothing")));
  document.getElementById("now").textContent = [...read, ...nothing].join(" · ") || text("see.nothing");
}

function numberLine(number, name, usual) {
  const line = element("span", `number ${kindOf(number)}`);
  line.classList.toggle("named", name !== undefined);
  line.append(named(name, ""), element("b", "", said(number)), " ");
  const value = number.value !== null && String(number.value) !== number.text ? `= ${number.value}` : "";
  const model = number.model === usual ? "" : number.model;
  const facts = [value, percent(number.confidence), number.reason && reason(number.reason), model];
  line.append(element("small", "", facts.filter(Boolean).join(", ")));
  return line;
}

function cutOut(decision, place) {
  const numeral = decision.message.numerals[place];
  const button = element("button", kindOf(numeral));
  button.type = "button";
  const data = decision.cut_outs[place];
  if (data) {
    const image = element("img");
    image.src = `data:image/png;base64,${data}`;
    image.alt = "";
    button.append(image);
  }
  button.append(element("span", "", numeral.label ?? "–"));
  const why = (numeral.taught ? `, ${text("see.taught")}` : "") + (numeral.reason ? `, ${reason(numeral.reason)}` : "");
  button.classList.toggle("taught", numeral.taught);
  button.setAttribute("aria-label", text("see.steps.of", { label: numeral.label ?? "", why }));
  button.addEventListener("click", async () => {
    const answer = await get(`/steps/${decision.id}/${place}`);
    offerTeaching(decision.id, place, numeral.label, !answer.error);
    drawSteps(numeral, answer);
  });
  return button;
}

function itemOf(decision) {
  const { message } = decision;
  const item = element("li");
  const time = element("time", "", new Date(message.time).toLocaleTimeString(document.documentElement.lang));
  time.dateTime = message.time;
  const { names, empty } = fieldsOf(message);
  item.append(time, ...message.numbers.map((one, place) => numberLine(one, names.get(place), message.model.name)));
  item.append(...empty.map((name) => element("span", "number named", named(name, text("see.nothing")))));
  if (!item.querySelector(".number")) item.append(element("span", "number", text("see.nothing")));
  const unread = message.unread.filter((one) => !isWithin(one.box, message.numbers));
  if (unread.length) {
    const why = [...new Set(unread.map((one) => reason(one.reason)))].join(", ");
    item.append(element("p", "left-out", text("see.left.out", { count: unread.length, why })));
  }
  if (message.numerals.length && decision.cut_outs.length) {
    const row = element("div", "cut-outs");
    row.append(...message.numerals.map((_, place) => cutOut(decision, place)));
    item.append(row);
  }
  return item;
}

function showAll(found) {
  decisions = found;
  list.replaceChildren(...decisions.map(itemOf).reverse());
  if (decisions.length) drawDecision(decisions.at(-1).message);
}

function add(decision) {
  if (decisions.some((one) => one.id === decision.id)) {
    // It was made while this page opened, and was among those that were there.
    showAll(decisions.map((one) => (one.id === decision.id ? decision : one)));
    return;
  }
  decisions = [...decisions.slice(1 - MOST), decision];
  list.prepend(itemOf(decision));
  while (list.children.length > MOST) list.lastElementChild.remove();
  drawDecision(decision.message);
}

export function startSee() {
  const context = picture.getContext("2d");
  on("frame", async (blob) => {
    const frame = await createImageBitmap(blob);
    if (picture.width !== frame.width || picture.height !== frame.height) {
      [picture.width, picture.height] = [frame.width, frame.height];
      boxes.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    }
    context.drawImage(frame, 0, 0);
    frame.close();
    picture.dataset.frames = Number(picture.dataset.frames ?? 0) + 1;
  });
  on("decisions", (event) => showAll(event.decisions));
  on("decision", (event) => add(event.decision));
  document.getElementById("read").addEventListener("click", async () => {
    const answer = await post("/read");
    if (answer.error) document.getElementById("now").textContent = answer.error;
  });
}
