// A rectangle drawn on the picture with the mouse, a finger or the arrow keys, after a button was pressed.
import { text } from "./texts.js";

const STEP = 8; // pixels of the frame that an arrow key moves by
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
const stage = document.getElementById("stage");
const picture = document.getElementById("picture");
const buttons = [];
let chosen = null; // what draws: its button and what it calls
let start = null;
let drawn = [];

function choose(drawing) {
  chosen = drawing;
  for (const button of buttons) button.setAttribute("aria-pressed", button === drawing?.button);
  stage.classList.toggle("drawing", Boolean(drawing));
  [start, drawn] = [null, []];
  for (const [name, value] of Object.entries({ role: "application", tabindex: 0, "aria-label": text("aim.keys") })) {
    if (drawing) stage.setAttribute(name, value);
    else stage.removeAttribute(name);
  }
  if (drawing) stage.focus({ preventScroll: true });
}

const within = (value, least, most) => Math.min(Math.max(value, least), most);

// The rectangle, or one in the middle, moved by a key; with Shift its size changes.
function moved([right, down], isSize) {
  const [x, y, width, height] = drawn.length ? drawn
    : [picture.width / 4, picture.height / 4, picture.width / 2, picture.height / 2].map(Math.round);
  if (isSize) {
    return [x, y, within(width + right, STEP, picture.width - x), within(height + down, STEP, picture.height - y)];
  }
  return [within(x + right, 0, picture.width - width), within(y + down, 0, picture.height - height), width, height];
}

function placeOf(event) {
  const area = stage.getBoundingClientRect();
  const x = ((event.clientX - area.left) * picture.width) / area.width;
  const y = ((event.clientY - area.top) * picture.height) / area.height;
  return [Math.round(Math.min(Math.max(x, 0), picture.width)), Math.round(Math.min(Math.max(y, 0), picture.height))];
}

// Makes a button draw: `during` is called with [x, y, width, height] in pixels of the frame, `done` with the last one, and
// `left` where there is none.
export function drawWith(button, during, done, left) {
  buttons.push(button);
  button.addEventListener("click", () => {
    const before = chosen;
    choose(before?.button === button ? null : { button, during, done, left });
    before?.left();
    if (chosen) stage.scrollIntoView({ block: "nearest" });
  });
}

stage.addEventListener("pointerdown", (event) => {
  if (!chosen) return;
  event.preventDefault();
  stage.setPointerCapture(event.pointerId);
  start = placeOf(event);
  drawn = [...start, 0, 0];
});

stage.addEventListener("pointermove", (event) => {
  if (!start) return;
  const [x, y] = placeOf(event);
  drawn = [Math.min(x, start[0]), Math.min(y, start[1]), Math.abs(x - start[0]), Math.abs(y - start[1])];
  chosen.during(drawn);
});

stage.addEventListener("pointerup", () => {
  if (start) finish();
});

function finish() {
  const [{ done, left }, rectangle] = [chosen, drawn];
  choose(null);
  if (rectangle.length) done(rectangle);
  else left();
}

stage.addEventListener("keydown", (event) => {
  if (!chosen) return;
  const { button } = chosen;
  if (ARROWS[event.key]) {
    drawn = moved(ARROWS[event.key], event.shiftKey);
    chosen.during(drawn);
  } else if (event.key === "Enter" || event.key === "Escape") {
    if (event.key === "Escape") drawn = [];
    finish();
    button.focus();
  } else {
    return;
  }
  event.preventDefault();
});
