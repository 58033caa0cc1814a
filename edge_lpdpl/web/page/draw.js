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

export function drawBox(svg, [x, y, width, height], kind, tag) {
  const place = { x, y, width, height, rx: 2 };
  if (kind !== "unread") svg.append(svgElement("rect", { ...place, class: "edge" }));
  svg.append(svgElement("rect", { ...place, class: `box ${kind}` }));
  if (tag) {
    const pixel = picture.width / Math.max(picture.clientWidth, 1); // of the screen, in pixels of the frame
    const size = pixel * (kind === "unread" ? 14 : 20);
    const above = y > size * 1.4;
    const at = { x: Math.min(x, picture.width - size * 2), y: above ? y - size * 0.3 : y + height + size };
    svg.append(svgElement("text", { ...at, "font-size": size, class: `tag ${kind}` }, tag));
  }
}
