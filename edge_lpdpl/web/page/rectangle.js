// A rectangle drawn on the picture with the mouse or a finger, after a button was pressed.
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
}

function placeOf(event) {
  const area = stage.getBoundingClientRect();
  const x = ((event.clientX - area.left) * picture.width) / area.width;
  const y = ((event.clientY - area.top) * picture.height) / area.height;
  return [Math.round(Math.min(Math.max(x, 0), picture.width)), Math.round(Math.min(Math.max(y, 0), picture.height))];
}

// Makes a button draw: `during` is called with [x, y, width, height] in pixels of the frame, `done` with the last one.
export function drawWith(button, during, done) {
  buttons.push(button);
  button.addEventListener("click", () => {
    choose(chosen?.button === button ? null : { button, during, done });
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
  if (!start) return;
  const { done } = chosen;
  start = null;
  choose(null);
  done(drawn);
});
