// The steps from the cut-out of a numeral to its label: cut-out, ink, square, histogram, scores.
import { element, svgElement } from "./draw.js";
import { percent, reason, text } from "./texts.js";

const dialog = document.getElementById("steps");

function bytesOf(picture) {
  return Uint8Array.from(atob(picture.grey), (character) => character.charCodeAt(0));
}

function grey(picture, box) {
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const context = canvas.getContext("2d");
  const data = context.createImageData(picture.width, picture.height);
  const bytes = bytesOf(picture);
  const most = Math.max(1, ...bytes);
  bytes.forEach((level, place) => {
    const shade = (255 * level) / most;
    data.data.set([shade, shade, shade, 255], 4 * place);
  });
  context.putImageData(data, 0, 0);
  if (box) {
    const [left, top, right, bottom] = box;
    context.strokeStyle = "#6cb6f0";
    context.strokeRect(left - 0.5, top - 0.5, right - left + 1, bottom - top + 1);
  }
  return canvas;
}

// A star in every cell, with a ray in every direction as long as its number; unsigned ones both ways.
function stars({ cells, directions, signed, values }) {
  const side = 320;
  const pitch = side / cells;
  const canvas = element("canvas", "smooth");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d");
  context.fillRect(0, 0, side, side);
  values.forEach((value, place) => {
    if (value < 6) return;
    const [cell, bin] = [Math.floor(place / directions.length), place % directions.length];
    const [x, y] = [((cell % cells) + 0.5) * pitch, (Math.floor(cell / cells) + 0.5) * pitch];
    const [dx, dy] = directions[bin].map((part) => (part * pitch * value) / 510);
    const shade = 110 + (145 * value) / 255;
    context.strokeStyle = `rgb(${shade} ${shade} ${shade})`;
    context.lineWidth = 1.6;
    context.beginPath();
    context.moveTo(signed ? x : x - dx, signed ? y : y - dy);
    context.lineTo(x + dx, y + dy);
    context.stroke();
  });
  return canvas;
}

// The smallest score wins: a bar is as long as a score is below the largest.
function bars(scores) {
  const known = scores.filter((one) => one.score !== null);
  const largest = Math.max(...known.map((one) => one.score));
  const order = [...known].sort((one, other) => one.score - other.score);
  const span = largest - order[0].score || 1;
  const table = element("div", "scores");
  for (const one of known) {
    const rank = order.indexOf(one);
    const width = Math.max(1, (100 * (largest - one.score)) / span);
    const svg = svgElement("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(svgElement("rect", { width, height: 6, class: ["best", "second"][rank] ?? "" }));
    table.append(element("span", "", one.label), svg);
  }
  return table;
}

function figure(part, name) {
  const made = element("figure");
  made.append(part, element("figcaption", "", text(`steps.${name}`)));
  return made;
}

export function drawSteps(numeral, answer) {
  document.getElementById("steps-title").textContent = numeral.label ?? text("see.nothing");
  const about = document.getElementById("steps-about");
  const row = document.getElementById("steps-row");
  row.replaceChildren();
  if (answer.error) {
    about.textContent = answer.error;
  } else {
    const { steps } = answer;
    const others = numeral.alternatives.map((one) => one.label).join(", ");
    const sure = percent(numeral.confidence);
    const judged = numeral.reason ? text("steps.rejected", { why: reason(numeral.reason) }) : text("steps.accepted");
    const why = numeral.taught ? `${judged}, ${text("see.taught")}` : judged;
    about.textContent = text("steps.about", { sure, why, others });
    row.append(figure(grey(steps.picture), "picture"));
    if (steps.square) {
      row.append(
        figure(grey(steps.ink, steps.ink.box), "ink"),
        figure(grey(steps.square), "square"),
        figure(stars(steps.histogram), "histogram"),
        figure(bars(steps.scores), "scores"),
      );
    }
  }
  if (!dialog.open) dialog.showModal();
}

document.getElementById("steps-close").addEventListener("click", () => dialog.close());
