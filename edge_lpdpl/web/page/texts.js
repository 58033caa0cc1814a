// The words of the page, one file a language. An element with data-text gets the text of that name.
let words = {};
let faults = []; // what the service says when it refuses something: patterns, and the names of their texts

export function text(name, values = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

export function language() {
  const wanted = localStorage.getItem("language") ?? navigator.language;
  return wanted.startsWith("zh") ? "zh" : "en";
}

async function wordsOf(name) {
  const answer = await fetch(`/page/${name}.json`);
  return answer.json();
}

// The service speaks English only: the English texts called `fault.` are its own, and say what stands where.
function patternOf(words) {
  const literal = words.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>.+)")}$`);
}

export async function loadTexts() {
  words = await wordsOf(language());
  const english = language() === "en" ? words : await wordsOf("en");
  faults = Object.entries(english).filter(([name]) => name.startsWith("fault."))
    .map(([name, said]) => [patternOf(said), name]);
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

// What the service or the server says when it refuses something, in the language of the page.
export function fault(said) {
  const plain = said.replace(/^set refused: /, "");
  for (const [pattern, name] of faults) {
    const found = pattern.exec(plain);
    const { setting, ...values } = found?.groups ?? {};
    if (found) return text(name, { ...values, setting: words[`setting.${setting}`] ?? setting });
  }
  return text("error.other", { said: plain });
}

// Nothing is wholly sure.
export function percent(share) {
  return `${Math.min(Math.floor(1000 * share + 1e-6) / 10, 99.9)} %`;
}
