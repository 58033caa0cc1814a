// Elements of the page, and boxes on the picture.
const picture = document.getElementById("picture");

export function element(name, className, content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
}

export function svgElement(name, attributes, content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (content !== undefined) made.textContent = content;
  return made;
}

const areOver = ([x, y, width, height], [left, top, wide, high]) => (
  x < left + wide && left < x + width && y < top + high && top < y + height);

// Draws a box and what it says. `taken` holds places that are taken already, and gets those of this box and its tag: where
// a tag would lie on one of them, it goes below the box, or is left out if the box is of ink that is not read.
export function drawBox(svg, box, kind, tag, taken = []) {
  const [x, y, width, height] = box;
  const place = { x, y, width, height, rx: 2 };
  if (kind !== "unread") svg.append(svgElement("rect", { ...place, class: "edge" }));
  svg.append(svgElement("rect", { ...place, class: `box ${kind}` }));
  if (!tag) return;
  const pixel = picture.width / Math.max(picture.clientWidth, 1); // of the screen, in pixels of the frame
  const size = pixel * (kind === "unread" ? 14 : 20);
  const long = size * [...tag].reduce((sum, one) => sum + (one > "\u2e80" ? 1 : 0.6), 0);
  const left = Math.max(0, Math.min(x, picture.width - long));
  const tops = [y - size * 1.3, y + height + size * 0.1].filter((top) => top > 0 && top + size * 1.2 < picture.height);
  const isFree = (top) => !taken.some((other) => areOver([left, top, long, size * 1.2], other));
  const top = tops.find(isFree) ?? (kind === "unread" ? undefined : tops[0] ?? y);
  if (kind !== "unread") taken.push(box);
  if (top === undefined) return;
  taken.push([left, top, long, size * 1.2]);
  svg.append(svgElement("text", { x: left, y: top + size, "font-size": size, class: `tag ${kind}` }, tag));
}
