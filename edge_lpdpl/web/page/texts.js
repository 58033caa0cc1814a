// The words of the page, one file a language. An element with data-text gets the text of that name.
let words = {};

export function text(name, values = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

export function language() {
  const wanted = localStorage.getItem("language") ?? navigator.language;
  return wanted.startsWith("zh") ? "zh" : "en";
}

export async function loadTexts() {
  const answer = await fetch(`/page/${language()}.json`);
  words = await answer.json();
  document.documentElement.lang = language() === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = text(element.dataset.text);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", text(element.dataset.label));
  }
}

// Why something is rejected or unread: a reason of docs/json.md in words.
export function reason(name) {
  return text(`reason.${name}`);
}
