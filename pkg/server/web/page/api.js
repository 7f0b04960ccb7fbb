// Calls to the server. Each is kept with its request and answer for the third tab.

// The page stands at the root of the routes, at /web, and at the same places of a track: /desk, /desk/web. What is before that
// in its address is before all routes.
const [, addressBase, addressTrack] = /^(.*?)(?:\/(queue|desk))?(?:\/web)?\/?$/.exec(location.pathname);
const base = settings.base_path || addressBase;

// raw is a number that is written as it was typed: seeds are larger than a JavaScript number holds.
const raw = (text) => ({raw: text});

// encode writes flat objects and objects of objects as JSON, leaving out what is undefined.
function encode(value) {
  if (value && typeof value === "object" && "raw" in value) return value.raw;
  if (value && typeof value === "object" && !Array.isArray(value)) {
    const fields = Object.entries(value).filter(([, v]) => v !== undefined);
    return "{" + fields.map(([k, v]) => JSON.stringify(k) + ":" + encode(v)).join(",") + "}";
  }
  return JSON.stringify(value);
}

// typed gives what a person typed into a field for a number: a number if it is one, else the text, so that the server
// judges it; undefined if there is nothing.
function typed(text) {
  const t = text.trim();
  if (t === "") return undefined;
  return /^-?(0|[1-9]\d*)$/.test(t) ? raw(t) : t;
}

// Lost says that there is no answer to go by: no connection, or an answer that is none. It may have been acted upon.
class Lost extends Error {}

// Refused is an answer of the server that says no, with a message for each field it names.
class Refused extends Error {
  constructor(status, detail) {
    super(messageOf(status, detail));
    this.status = status;
    this.fields = Array.isArray(detail) ? detail.filter((d) => d && typeof d.msg === "string").map((d) => ({field: fieldOf(d), message: d.msg})) : [];
  }
}

function messageOf(status, detail) {
  if (typeof detail === "string" && detail !== "") return detail;
  if (Array.isArray(detail) && detail.length > 0) return detail.map((d) => d && d.msg).filter(Boolean).join("; ");
  return "The server answered " + status + ".";
}

// fieldOf finds the field's name in a place such as ["body", "seed"] or ["priority_score"].
function fieldOf(d) {
  const names = (Array.isArray(d.loc) ? d.loc : []).filter((x) => typeof x === "string" && x !== "body" && x !== "action");
  return names.length > 0 ? names[0] : "";
}

const calls = []; // of this episode, oldest first: {kind, method, path, body, session, status, answer}
const callLimit = 200;
const waitLimit = 30000; // milliseconds

const paths = {reset: "POST", step: "POST", state: "GET", review: "GET"};

const pathOf = (track, kind) => base + "/" + track + "/web/" + kind;

// call asks the server for one of reset, step, state and review. It gives {data, session}, or throws Lost or Refused.
async function call(kind, track, id, body) {
  const record = {kind, track, method: paths[kind], path: pathOf(track, kind), session: id || "", body: body || "", status: 0, answer: ""};
  calls.push(record);
  if (calls.length > callLimit) calls.shift();
  const headers = {};
  if (id) headers["X-Triage-Session"] = id;
  if (body) headers["Content-Type"] = "application/json";
  const got = await request(record.path, {method: record.method, headers, body: body || undefined}, record);
  return {data: got.data, session: got.response.headers.get("X-Triage-Session") || ""};
}

// request sends and reads JSON. record, if given, takes down what came back.
async function request(path, options, record) {
  if (token) options.headers = {...options.headers, Authorization: "Bearer " + token};
  let response, text;
  try {
    response = await fetch(path, {...options, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(waitLimit)});
    text = await response.text();
  } catch {
    throw new Lost("No connection to the server.");
  }
  if (record) {
    record.status = response.status;
    record.answer = text;
  }
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Lost("The server answered " + response.status + " and no JSON.");
  }
  if (response.status === 429 || response.status >= 500) throw new Lost(messageOf(response.status, data && data.detail));
  if (!response.ok) throw new Refused(response.status, data && data.detail);
  return {data, response};
}
