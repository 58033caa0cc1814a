// The connection to the server: one WebSocket for what comes, POST for what is asked.
import { fault, text } from "./texts.js";

const listeners = new Map();
let socket = null;

export function on(kind, listener) {
  listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
}

function tell(kind, value) {
  for (const listener of listeners.get(kind) ?? []) {
    listener(value);
  }
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/live`);
  socket.binaryType = "blob";
  let wasOpen = false;
  socket.onopen = () => {
    wasOpen = true;
  };
  socket.onmessage = (event) => {
    if (event.data instanceof Blob) {
      tell("frame", event.data);
    } else {
      const value = JSON.parse(event.data);
      tell(value.type, value);
    }
  };
  socket.onclose = async () => {
    tell("service", { connected: false, fault: wasOpen ? "page" : await whyNot() });
    if (!document.hidden) {
      setTimeout(connect, 1000);
    }
  };
}

// A browser does not tell why a WebSocket was refused: ask again without one.
async function whyNot() {
  try {
    const { status } = await fetch("/live");
    if (status === 401) location.reload(); // another token was made: show the form for it
    return status === 503 ? "full" : "page";
  } catch {
    return "page";
  }
}

// Nobody looks at a hidden page: then the camera's picture is not asked for.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    socket?.close();
  } else if (!socket || socket.readyState > WebSocket.OPEN) {
    connect();
  }
});

async function answerOf(request) {
  try {
    const answer = await request;
    const value = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
    if (answer.ok) return value;
    if (value.error) return { error: fault(value.error) };
    return { error: text(answer.status === 429 ? "error.often" : "error.status", { status: answer.status }) };
  } catch {
    return { error: text("state.page") };
  }
}

export function post(path, value = {}) {
  const headers = { "Content-Type": "application/json" };
  return answerOf(fetch(path, { method: "POST", headers, body: JSON.stringify(value) }));
}

export function get(path) {
  return answerOf(fetch(path));
}
