// The end of an episode: its figures, a chart against the heuristic, the parts, and what to do next.

const figure = (name, value, note) => h("div.figure", null, h("dt", null, name), h("dd", null, value, note ? h("small", null, note) : null));

// targetText says what a task's target is about: the mean of many episodes, not one.
const targetText = (task) => (task.track === "queue" ? "over " : "") + task.target.toFixed(2) + (task.track === "queue" ? "" : " or more");

// showSummary fills the section under the tickets. buttons are what can be done next.
function showSummary(buttons) {
  const task = taskOf(game.track, game.difficulty);
  const m = game.meta || {};
  const desk = game.track === "desk";
  const figures = [
    figure(desk ? "Correctness" : "Score", score(m.score)),
    figure("Efficiency", score(m.efficiency), desk ? "fewer submissions, with the right category" : "tickets by touches"),
    desk ? figure("Reward", score(m.reward), "0.7 correctness + 0.3 efficiency") : null,
    settings.sealed ? null : figure("Heuristic", score(game.heuristic), desk ? "on this ticket" : "on the same tickets"),
    figure("Target", targetText(task), "for the mean of many episodes"),
  ];
  fill($("summary"),
    h("h2", {id: "summary-title", tabindex: "-1"}, desk ? "Ticket closed" : "The queue is done"),
    m.ended === "truncated" ? h("p.note", null, "The ticket was closed after the last submission that is allowed, graded as it stood.") : null,
    h("dl.figures", null, figures),
    h("div.actions", null, buttons),
    settings.sealed ? h("p.note", null, "This server is sealed: it tells the figures of the whole, and nothing about single answers.") : null,
    h("div.halves", null, desk ? deskChart() : queueChart(), partMeans(m.rubrics)));
  $("summary").hidden = false;
}

function queueChart() {
  if (game.graded.length === 0) return null;
  return chart("Reward per ticket", "Ticket", game.graded.map((g, i) => ({
    label: i + 1 + "  " + g.ticket_id, short: i + 1, you: g.total, heuristic: g.heuristic ? g.heuristic.total : undefined})));
}

function deskChart() {
  const rows = session.get("desk") || [];
  if (rows.length < 2) return null; // one is told by its grading
  return chart("Correctness per desk ticket of this visit", "Ticket", rows.map((r, i) => ({...r, label: i + 1 + "  " + r.label, short: i + 1})));
}

// tallyDesk adds a finished desk ticket to those of this visit.
function tallyDesk() {
  if (game.tallied || game.track !== "desk" || game.graded.length === 0) return;
  game.tallied = true;
  const [g] = game.graded;
  const row = {label: game.difficulty + ", seed " + game.seed, you: g.total, heuristic: g.heuristic ? g.heuristic.total : undefined};
  session.set("desk", [...(session.get("desk") || []), row].slice(-40));
}

function partMeans(rubrics) {
  const order = questionsOf(game.track, game.difficulty).map((q) => q.part);
  const names = order.filter((part) => rubrics && part in rubrics);
  if (names.length === 0 || game.track === "desk") return null;
  return h("section.means", {"aria-labelledby": "means-title"},
    h("h3", {id: "means-title"}, "Your parts, as means"),
    h("ul.parts", null, names.map((name) => h("li", null,
      h("div.head", null, h("span.title", null, titleOfPart(game.track, name)), h("span.value", null, score(rubrics[name]))),
      bar(rubrics[name])))));
}
