// One ticket, opened: what the agent saw, what it answered, how that was graded, and what a model said.

const mostShown = 20000; // characters of one text; the rest is shown when it is asked for

let openRow = -1;
let openedFrom = null;

// cut finds a place to cut a text at, up to most characters after from: at a line's end or a space where there is one.
function cut(text, from, most) {
  if (text.length - from <= most) return text.length;
  const end = from + most;
  for (const sign of ["\n", " "]) {
    const at = text.lastIndexOf(sign, end - 1);
    if (at > from + most / 2) return at + 1;
  }
  const low = text.charCodeAt(end);
  return low >= 0xdc00 && low < 0xe000 ? end - 1 : end; // no pair of surrogates is torn
}

// long shows a text; of a very long one the beginning, with a button for the rest. The rest is laid out in pieces, and only those
// that are in view: browsers take minutes for a megabyte in one.
function long(tag, text) {
  const el = h(tag);
  if (text.length <= mostShown) {
    el.textContent = text;
    return el;
  }
  const shown = cut(text, 0, mostShown);
  el.append(text.slice(0, shown));
  const button = h("button", {type: "button"}, "Show all " + number(text.length) + " characters");
  button.addEventListener("click", () => {
    button.remove();
    const rest = h("span.pieces", {tabindex: "-1"});
    for (let from = shown; from < text.length;) {
      const to = cut(text, from, 4000);
      rest.append(h("span.piece", null, text.slice(from, to)));
      from = to;
    }
    el.append(rest);
    rest.focus({preventScroll: true});
  });
  return [el, button];
}

function facts(pairs) {
  return h("dl.facts", null, pairs.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, h("bdi", null, shown(value))))));
}

const entries = (o, without = []) => Object.entries(o || {}).filter(([k]) => !without.includes(k)).map(([k, v]) => [words(k), v]);

// ticketText shows what an observation shows of its ticket.
function ticketText(observation) {
  const o = observation || {};
  if (o.ticket) {
    return [h("h4", null, "Ticket"), long("p.mail", shown(o.ticket.subject) + "\n\n" + shown(o.ticket.description)), facts(entries(o.ticket.metadata))];
  }
  if (typeof o.issue_text === "string") {
    return [h("h4", null, "Ticket"), long("p.mail", o.issue_text), facts(entries(o, ["issue_text", "ticket_id"]))];
  }
  if (typeof o.body === "string" || typeof o.subject === "string") {
    return [h("h4", null, "Ticket"), long("p.mail", [o.subject, o.body].filter(Boolean).join("\n\n")), facts(entries(o.fields))];
  }
  return [];
}

function partsOf(score) {
  if (!score || !score.parts) return [h("p.hint", null, "Nothing was graded in this step.")];
  return [h("ul.parts", null, score.parts.map((p) => h("li", null, h("span.value", null, Number(p.value).toFixed(2)), h("b", null, words(p.name)), " ",
    h("bdi", null, shown(p.why)), h("span.hint", null, "  weight " + Number(p.weight).toFixed(2)))))];
}

function replyOf(reply, title) {
  const about = [["Read as", reply.stage], ["Cause", reply.cause], ["Finish reason", reply.finish_reason], ["Model", reply.model]];
  return [h("h4", null, title), facts(about.filter(([, v]) => v)), long("pre", shown(reply.text)), reply.refusal ? [h("h4", null, "Refusal"), long("pre", reply.refusal)] : null,
    reply.coerced && reply.coerced.length > 0 ? h("p.hint", null, "Taken for another value: " + reply.coerced.join("; ")) : null];
}

function stepOf(step, i, all) {
  const json = h("details", null, h("summary", null, "Observation as JSON"));
  json.addEventListener("toggle", () => { if (json.open && json.children.length === 1) add(json, [long("pre", JSON.stringify(step.observation, null, 2))]); });
  const before = (step.reply && step.reply.before) || [];
  return h("div.step", null,
    all > 1 ? h("h4", null, "Step " + (i + 1) + " of " + all) : null,
    i === 0 ? h("div", null, ticketText(step.observation)) : h("p.hint", null, shown(step.observation && step.observation.message)),
    step.error ? h("p.error", null, "The answer was refused or did not come: " + step.error) : null,
    h("div", null, h("h4", null, "Answer"), step.action && Object.keys(step.action).length > 0 ? facts(entries(step.action)) : h("p.hint", null, "none")),
    h("div", null, h("h4", null, "Grading" + (step.score ? ": " + Number(step.score.total).toFixed(3) : "")), partsOf(step.score)),
    before.map((r, n) => h("div", null, replyOf(r, "Reply " + (n + 1) + ", which could not be read"))),
    step.reply ? h("div", null, replyOf(step.reply, before.length > 0 ? "Reply " + (before.length + 1) : "Reply")) : null,
    step.usage ? h("div", null, h("h4", null, "Usage"), facts(entries(step.usage))) : null,
    json);
}

async function openTicket(row) {
  const ticket = await ticketAt(row);
  const {agent, task} = tallyOf(row);
  openRow = row;
  fill($("ticket-title"), h("bdi", null, [index.id[row], index.subject[row]].filter(Boolean).join(" · ") || "Ticket"));
  const head = [["Agent", agent], ["Task", task], ["Seed", index.seed[row]], ["Position", index.position[row]], ["Score", scoreText(row)], ["Scenario", index.scenario[row]],
    ["Traps", index.traps[row].split(" ").filter(Boolean).join(", ") || "none"], ["Ended", ticket.ended]];
  if (index.trial[row] > 0) head.splice(4, 0, ["Trial", index.trial[row]]);
  if (ticket.efficiency !== undefined) head.push(["Efficiency of the episode", Number(ticket.efficiency).toFixed(3)]);
  const others = othersOf(row);
  fill($("ticket-body"),
    facts(head),
    ticket.error ? h("p.error", null, "The episode broke: " + ticket.error) : null,
    ticket.steps.length === 0 ? h("p.hint", null, "It broke before the first ticket was seen.") : null,
    ticket.steps.map((s, i) => stepOf(s, i, ticket.steps.length)),
    others.length === 0 ? null : h("div", null, h("h4", null, "Other answers to this ticket"), h("ul.others", null, others.slice(0, 50).map((o) => h("li", null,
      h("button", {type: "button", onclick: () => openTicket(o)}, scoreText(o) + " · " + tallyOf(o).agent + (index.trial[o] > 0 ? ", trial " + index.trial[o] : "")))))));
  const at = list.rows.indexOf(row);
  $("ticket-previous").disabled = at <= 0;
  $("ticket-next").disabled = at < 0 || at >= list.rows.length - 1;
  const dialog = $("ticket");
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  $("ticket-title").focus();
}

function startDetail() {
  const move = (by) => {
    const at = list.rows.indexOf(openRow) + by;
    if (at >= 0 && at < list.rows.length) openTicket(list.rows[at]);
  };
  $("ticket-previous").addEventListener("click", () => move(-1));
  $("ticket-next").addEventListener("click", () => move(1));
  $("ticket-close").addEventListener("click", () => $("ticket").close());
  $("ticket").addEventListener("close", () => {
    showRow(openRow);
    const back = document.querySelector('#rows button[data-row="' + openRow + '"]') || openedFrom;
    if (back && back.isConnected) back.focus();
  });
}
