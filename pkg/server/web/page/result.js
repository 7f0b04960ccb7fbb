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
  const answer = (heuristic && heuristic.answer) || {};
  fill($("decide"),
    h("div.result", null,
      h("h3", {id: "decide-title"}, track === "queue" ? "Reward for ticket " + place : "Correctness of the answer"),
      h("p.totals", null, h("span.big", null, score(entry.total)), " of 1",
        heuristic ? h("span.heuristic", null, "Heuristic ", h("b", null, score(heuristic.total))) : null),
      h("div.actions", null, buttons),
      h("ul.parts", null, entry.parts.map((p) => partOf(track, p, heuristic ? answer : null))),
      gateNote(track, entry)));
}

// partOf is one part: its weight and value, why, and what the heuristic answered, if that is known.
function partOf(track, p, answer) {
  const field = Object.keys(questions).find((name) => questions[name].part === p.name && answer && name in answer);
  const theirs = field && answer[field] !== null ? String(answer[field]) : "no answer";
  return h("li", null,
    h("div.head", null, h("span.title", null, titleOfPart(track, p.name)), h("span.weight", null, "weight " + p.weight.toFixed(2)), h("span.value", null, score(p.value))),
    bar(p.value),
    p.why ? h("p.why", null, p.why) : null,
    answer ? h("p.why.theirs", null, h("span", null, "Heuristic: "), theirs) : null);
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

// heard is the result as a sentence for those who listen.
function heard(track, place, entry) {
  const parts = entry.parts.map((p) => titleOfPart(track, p.name) + " " + score(p.value) + (p.why ? ", " + p.why : "")).join(". ");
  return (track === "queue" ? "Ticket " + place + ": reward " : "Correctness ") + score(entry.total) + ". " + parts + ".";
}
