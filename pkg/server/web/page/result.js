// How an answer was graded: each part with its reason, beside what the heuristic answered.

// bar draws 0..1. The number beside it says the same.
function bar(value, kind) {
  const inner = h("span");
  inner.style.width = Math.round(Math.max(0, Math.min(1, value)) * 1000) / 10 + "%";
  return h("div.bar" + (kind ? "." + kind : ""), {"aria-hidden": "true"}, inner);
}

// showResult fills the decision's place with a graded ticket. buttons are what can be done next; entry is the review's.
function showResult(track, place, entry, buttons) {
  const heuristic = entry.heuristic || null;
  fill($("decide"),
    h("div.result", null,
      h("h3", {id: "decide-title"}, track === "queue" ? "Reward for ticket " + place : "Correctness of the answer"),
      h("p.big", null, score(entry.total), h("span", null, " of 1")),
      h("div.actions", null, buttons),
      h("ul.parts", null, entry.parts.map((p) => partOf(track, p))),
      gateNote(track, entry),
      heuristic ? h("h4", null, "Beside the heuristic") : null,
      heuristic ? besides(track, entry, heuristic) : null));
}

function partOf(track, p) {
  return h("li", null,
    h("div.head", null, h("span.title", null, titleOfPart(track, p.name)), h("span.weight", null, "weight " + p.weight.toFixed(2)), h("span.value", null, score(p.value))),
    bar(p.value),
    p.why ? h("p.why", null, p.why) : null);
}

// gateNote says why a queue ticket's total is less than its parts: after a wrong route the other parts count less.
function gateNote(track, entry) {
  if (track !== "queue") return null;
  const route = entry.parts.find((p) => p.name === "route");
  const others = entry.parts.filter((p) => p !== route).reduce((sum, p) => sum + p.value * p.weight, 0);
  if (!route || route.value === 1 || others === 0) return null;
  const gate = (entry.total - route.value * route.weight) / others;
  return h("p.note", null, "What follows a misroute is mostly wasted: here the other parts counted × " + gate.toFixed(2) + ".");
}

// besides compares: a row a part, a column each for the person, the truth and the heuristic.
function besides(track, entry, heuristic) {
  const answer = heuristic.answer || {};
  const fieldFor = (part) => Object.keys(answer).find((name) => questions[name] && questions[name].part === part);
  const cell = (v) => (v === undefined || v === null || v === "" ? h("span.faint", null, "none") : words(v));
  const rows = entry.parts.filter((p) => p.name !== "recommendation");
  const text = answer.recommendation;
  return [
    h("div.table", null, h("table.compare", null,
      h("thead", null, h("tr", null, h("td"), ["You", "Right", "Heuristic"].map((t) => h("th", {scope: "col"}, t)))),
      h("tbody", null, rows.map((p) => h("tr", null,
        h("th", {scope: "row"}, titleOfPart(track, p.name)),
        h("td", null, cell(p.got)), h("td", null, cell(p.want)), h("td", null, cell(answer[fieldFor(p.name)]))))),
      h("tfoot", null, h("tr", null, h("th", {scope: "row"}, track === "queue" ? "Reward" : "Correctness"),
        h("td", null, score(entry.total)), h("td", null, "1.000"), h("td", null, score(heuristic.total)))))),
    text ? h("p.why", null, h("strong", null, "The heuristic recommends: "), text) : null,
  ];
}

// heard is the result as a sentence for those who listen.
function heard(track, place, entry) {
  const parts = entry.parts.map((p) => titleOfPart(track, p.name) + " " + score(p.value) + (p.why ? ", " + p.why : "")).join(". ");
  return (track === "queue" ? "Ticket " + place + ": reward " : "Correctness ") + score(entry.total) + ". " + parts + ".";
}
