// The form for the token. A link from `edge-lpdpl web --link` has it behind the #, which no server sees.
import { loadTexts, text } from "./texts.js";

const fault = document.getElementById("fault");

async function enter(token) {
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.replace("/");
    return;
  }
  fault.textContent = text(answer.status === 429 ? "login.often" : "login.wrong");
}

await loadTexts();
const token = location.hash.slice(1);
history.replaceState(null, "", "/");
if (token) {
  await enter(token);
}
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(document.getElementById("token").value.trim());
});
