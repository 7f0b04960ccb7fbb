// What outlives a reload: in sessionStorage the token, the episode and what is typed; in localStorage the theme and whether
// single keys act. Storage may be refused (private windows, frames); the page then forgets, and works.

function stored(area, name) {
  try {
    return JSON.parse(window[area].getItem("triage." + name));
  } catch {
    return null;
  }
}

function keep(area, name, value) {
  try {
    if (value === null) window[area].removeItem("triage." + name);
    else window[area].setItem("triage." + name, JSON.stringify(value));
  } catch {
    // forgotten at the next load
  }
}

const session = {get: (name) => stored("sessionStorage", name), set: (name, value) => keep("sessionStorage", name, value)};
const local = {get: (name) => stored("localStorage", name), set: (name, value) => keep("localStorage", name, value)};

let token = settings.tokens ? session.get("token") || "" : "";

function setToken(text) {
  token = text;
  session.set("token", text || null);
}
