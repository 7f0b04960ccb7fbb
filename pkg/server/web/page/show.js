// What stands where while an episode runs: the bar of the episode, the list of the queue, the ticket, the form or the grading.

const placeText = () => (game.track === "queue" ? "Ticket " + Math.min(game.step + 1, game.observation.total_tickets) + " of " + game.observation.total_tickets
  : "Submission " + Math.min(game.step + 1, taskOf("desk", game.difficulty).steps) + " of " + taskOf("desk", game.difficulty).steps);

const sendText = () => (game.track === "queue" ? "Send decision" : "Send submission " + (game.step + 1) + " of " + taskOf("desk", game.difficulty).steps);

// showForm shows the ticket that is to be answered, and the form for it.
function showForm() {
  game.showing = "form";
  const ticket = game.track === "queue" ? game.observation.ticket : game.observation;
  frame();
  showTicket(game.track, ticket, game.track === "queue" ? placeText() : "Desk ticket");
  openForm(game.track, game.difficulty, sendText(), submit);
  if (game.track === "desk" && game.step > 0) setNotice(game.observation.message);
}

// frame shows the parts around the ticket.
function frame() {
  $("work").hidden = false;
  $("work").dataset.track = game.track;
  $("summary").hidden = true;
  $("summary").replaceChildren();
  showRunning();
  showList(-1);
}

function showRunning() {
  const bits = [tracks[game.track], words(game.difficulty), game.seed ? "seed " + game.seed : "sealed", game.split].filter(Boolean);
  $("running").hidden = false;
  fill($("running"),
    h("p.what", null, bits.map((b) => h("span", null, b))),
    h("p.place", null, game.done ? "Finished" : game.track === "queue" ? game.step + " of " + game.observation.total_tickets + " answered" : placeText()),
    standing(),
    h("button.quiet", {type: "button", id: "new-episode", onclick: openSetup}, "New episode"));
}

// standing is the running score beside the heuristic's on the same tickets.
function standing() {
  if (settings.sealed) return h("p.standing", null, "Sealed: your score comes at the end");
  let n = game.graded.length, you = game.you, heuristic = game.heuristic;
  if (game.track === "desk") {
    const rows = session.get("desk") || [];
    n = rows.length;
    you = mean(rows, "you");
    heuristic = mean(rows, "heuristic");
  }
  if (n === 0) return h("p.standing", null, "No ticket graded yet");
  return h("p.standing", null, h("span.you", null, "You ", h("b", null, score(you))), " ", h("span.heuristic", null, "Heuristic ", h("b", null, score(heuristic))),
    h("small", null, " on " + plural(n, "ticket")));
}

// showList lists the queue. Graded tickets can be looked at again; looked is the one that is, or −1.
function showList(looked) {
  const list = $("list");
  list.hidden = game.track !== "queue";
  if (list.hidden) return;
  const total = game.observation.total_tickets;
  fill(list, h("h2", null, "Queue"), h("ol", null, Array.from({length: total}, (_, i) => listItem(i, looked))));
}

function listItem(i, looked) {
  const current = looked >= 0 ? i === looked : i === game.step && !game.done;
  const ticket = game.tickets[i], graded = game.graded[i];
  const what = ticket ? ticket.subject : "";
  const inside = [h("span.n", null, i + 1), h("span.what", null, what || (i > game.step ? unseen("to come") : "answered")),
    graded ? [h("span.got", null, score(graded.total)), bar(graded.total)] : null];
  const reachable = ticket && (graded || (i === game.step && !game.done));
  return h("li", null, reachable
    ? h("button", {type: "button", "aria-current": current ? "true" : null, onclick: () => (graded ? lookAt(i) : backToForm())}, unseen("Ticket "), inside)
    : h("span.row", null, unseen("Ticket "), inside));
}

// lookAt shows a ticket that is graded; the form of the current one waits.
function lookAt(i) {
  showGraded(i);
  focusOn($("subject"));
}

function backToForm() {
  if (game.showing === "form") return focusOn($("subject"));
  showForm();
  return focusOn($("subject"));
}

// showGraded shows a graded queue ticket with its parts, and the way on.
function showGraded(i) {
  game.showing = "graded";
  frame();
  showList(i);
  showTicket("queue", game.tickets[i], "Ticket " + (i + 1) + " of " + game.observation.total_tickets);
  const next = game.done ? "See the summary" : "Go to ticket " + (game.step + 1);
  showResult("queue", i + 1, game.graded[i], [h("button.primary", {type: "button", id: "next", onclick: goOn}, next)]);
  $("next").focus({preventScroll: true});
  reveal($("decide"));
}

// goOn leaves a grading for the next ticket, or for the summary after the last.
function goOn() {
  if (game.done) {
    showEnd();
    return focusOn($("summary-title"));
  }
  showForm();
  say(placeText() + ". " + $("subject").textContent);
  return focusOn($("subject"));
}

// seedAfter is the next seed: a seed may be larger than a JavaScript number holds.
const seedAfter = (seed) => (/^\d+$/.test(seed) ? String(BigInt(seed) + 1n) : randomSeed());

function nextEpisode() {
  const seed = settings.sealed ? "" : seedAfter(game.seed);
  if (seed) $("seed").value = seed;
  return start({track: game.track, difficulty: game.difficulty, seed, split: game.split});
}

// endButtons are the ways on after an episode.
function endButtons() {
  const next = settings.sealed ? "Next one" : "Next: seed " + seedAfter(game.seed);
  return [h("button.primary", {type: "button", id: "next", onclick: nextEpisode}, next),
    h("button.quiet", {type: "button", onclick: openSetup}, "Choose another")];
}

// showEnd shows the summary in place of the tickets; on the desk track the graded ticket stays over it.
function showEnd() {
  game.showing = "summary";
  if (game.track === "desk") return endDesk(game.graded[0]);
  frame();
  $("facts").replaceChildren();
  $("ticket").replaceChildren();
  $("decide").replaceChildren();
  $("work").dataset.track = "done";
  showSummary(endButtons());
  return null;
}

function endDesk(entry) {
  game.showing = "summary";
  frame();
  showTicket("desk", game.tickets[0], "Desk ticket");
  showSummary(entry ? [] : endButtons());
  if (entry) showResult("desk", 1, entry, endButtons());
  else $("decide").replaceChildren();
  $("next").focus({preventScroll: true});
  reveal(entry ? $("decide") : $("summary"));
}
