// The live picture with what was read in it, and the last hundred decisions.
import { drawBox, element, svgElement } from "./draw.js";
import { get, on, post } from "./link.js";
import { drawSteps } from "./steps.js";
import { offerTeaching } from "./teach.js";
import { reason, text } from "./texts.js";

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

function drawDecision(message) {
  boxes.querySelectorAll(".decision").forEach((old) => old.remove());
  const group = svgElement("g", { class: "decision" });
  for (const one of message.unread) {
    drawBox(group, one.box, "unread", isWithin(one.box, message.numbers) ? "" : reason(one.reason));
  }
  for (const one of message.numbers) {
    drawBox(group, one.box, kindOf(one), one.reason ? `${said(one)} ${reason(one.reason)}` : said(one));
  }
  boxes.append(group);
  const read = message.numbers.map((one) => (one.rejected ? `${said(one)} (${reason(one.reason)})` : one.text));
  document.getElementById("now").textContent = read.join("   ") || text("see.nothing");
}

function numberLine(number) {
  const line = element("span", `number ${kindOf(number)}`);
  line.append(element("b", "", said(number)), " ");
  const value = number.value !== null && String(number.value) !== number.text ? `= ${number.value}, ` : "";
  const sure = `${Math.round(number.confidence * 1000) / 10} %`;
  line.append(element("small", "", number.reason ? `${value}${sure}, ${reason(number.reason)}` : `${value}${sure}`));
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
    offerTeaching(decision.id, place, !answer.error);
    drawSteps(numeral, answer);
  });
  return button;
}

function itemOf(decision) {
  const { message } = decision;
  const item = element("li");
  const time = element("time", "", new Date(message.time).toLocaleTimeString(document.documentElement.lang));
  time.dateTime = message.time;
  item.append(time, ...message.numbers.map(numberLine));
  if (!message.numbers.length) item.append(element("span", "number", text("see.nothing")));
  if (message.unread.length) {
    const why = [...new Set(message.unread.map((one) => reason(one.reason)))].join(", ");
    item.append(element("p", "left-out", text("see.left.out", { count: message.unread.length, why })));
  }
  if (message.numerals.length && decision.cut_outs.length) {
    const row = element("div", "cut-outs");
    row.append(...message.numerals.map((_, place) => cutOut(decision, place)));
    item.append(row);
  }
  return item;
}

function add(decision) {
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
  on("decisions", (event) => {
    decisions = event.decisions;
    list.replaceChildren(...decisions.map(itemOf).reverse());
    if (decisions.length) drawDecision(decisions.at(-1).message);
  });
  on("decision", (event) => add(event.decision));
  document.getElementById("read").addEventListener("click", async () => {
    const answer = await post("/read");
    if (answer.error) document.getElementById("now").textContent = answer.error;
  });
}
