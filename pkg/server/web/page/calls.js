// The third tab: what the page says to the server, as JSON and as curl lines that can be pasted.

// callsChanged draws the tab again, if it is seen.
function callsChanged() {
  if (!$("panel-calls").hidden) showCalls();
}

function showCalls() {
  const focused = document.activeElement && document.activeElement.dataset.copy;
  const opened = new Set([...$("panel-calls").querySelectorAll("details[open]")].map((d) => d.dataset.n));
  const running = game.session !== "";
  const options = running ? game : chosenQuietly();
  const action = form.el && running && !game.done ? actionOf(values()) : "{}";
  fill($("panel-calls"),
    h("h2", null, "The calls behind this page"),
    h("p", null, "An episode is a ", h("code", null, "reset"), ", then a ", h("code", null, "step"), " for each decision. The lines below say what stands in the forms now and can be pasted into a shell",
      running ? "; a pasted step answers the ticket in this page's place." : ".",
      settings.mode === "simulation" ? " The same routes exist without /web." : "",
      settings.tokens ? " Put the token into the shell's variable TOKEN first." : ""),
    callCard("reset", "Reset begins an episode. Its answer holds the session: " + (running ? "this page's is in the lines below." : "put metadata.session into the shell's variable SESSION."),
      {kind: "reset", track: options.track, body: bodyOf(options)}),
    callCard("step", "Step answers the ticket" + (running ? "." : ", with what is asked for as fields of action."),
      {kind: "step", track: options.track, session: game.session, body: stepBody(action)}),
    callCard("state", "State shows where the episode is.", {kind: "state", track: options.track, session: game.session},
      running ? h("button", {type: "button", id: "get-state", onclick: getState}, "Get the state") : null),
    h("h2", null, "Calls of this episode"),
    calls.length === 0 ? h("p", null, "None yet.") : h("div.log", null, calls.map((c, i) => logEntry(c, i, opened.has(String(i))))));
  if (focused) {
    const again = $("panel-calls").querySelector('[data-copy="' + CSS.escape(focused) + '"]');
    if (again) again.focus();
  }
}

// chosenQuietly reads the setup form without making up a seed.
function chosenQuietly() {
  const data = Object.fromEntries(new FormData(setup.el));
  return {track: data.track, difficulty: data.difficulty, seed: data.seed || "", split: data.split || ""};
}

const getState = () => attempt(() => call("state", game.track, game.session));

const lastAnswer = (kind) => calls.findLast((c) => c.kind === kind && c.answer !== "");

function callCard(name, about, record, extra) {
  const last = lastAnswer(record.kind);
  const method = paths[record.kind];
  return h("section.call", {"aria-labelledby": "call-" + name},
    h("h3", {id: "call-" + name}, h("span.method", null, method), " ", h("code", null, pathOf(record.track, record.kind))),
    h("p", null, about), extra,
    block(name + "-curl", "curl", curlOf(record)),
    method === "POST" ? block(name + "-json", "JSON", indent(record.body)) : null,
    last ? h("details", {"data-n": "last-" + name}, h("summary", null, "Last answer: " + last.status), block(name + "-answer", "Answer", indent(last.answer))) : null);
}

function logEntry(c, i, open) {
  return h("details", {"data-n": i, open},
    h("summary", null, h("span.n", null, i + 1), h("span.method", null, c.method), " ", h("code", null, c.path), " ", h("span.status", null, c.status || "no answer")),
    block("log-" + i + "-curl", "curl", curlOf(c)),
    c.body ? block("log-" + i + "-json", "JSON", indent(c.body)) : null,
    c.answer ? block("log-" + i + "-answer", "Answer", indent(c.answer)) : null);
}

// block is a text with a button that copies it.
function block(id, title, text) {
  const shown = h("code", null, text);
  return h("div.block", null,
    h("div.head", null, h("span", null, title),
      h("button.quiet", {type: "button", "data-copy": id, onclick: async (event) => {
        const button = event.currentTarget;
        const done = await copy(text, shown);
        button.lastChild.textContent = done ? "Copied" : "Not copied";
        say(done ? title + " copied" : "The browser did not allow to copy");
        setTimeout(() => { button.lastChild.textContent = "Copy"; }, 1500);
      }}, unseen(title + " of " + id + ": "), h("span", null, "Copy"))),
    h("pre", null, shown));
}
