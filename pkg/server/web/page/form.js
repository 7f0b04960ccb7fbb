// The decision: a form over the questions of the task, what it holds, and what the server says is wrong with it.

const form = {el: null, asked: [], missing: "", submit: null, draft: session.get("draft")};

// setDraft keeps what is typed: in memory for another ticket's look, in the session for a reload.
function setDraft(map) {
  form.draft = map;
  session.set("draft", map);
}

// openForm shows an empty form for a task. submit is called with the action as JSON text and the words that were chosen.
function openForm(track, difficulty, buttonText, submit) {
  form.asked = questionsOf(track, difficulty);
  form.submit = submit;
  form.missing = "";
  form.el = h("form", {id: "decision", novalidate: true, onsubmit: sent, oninput: changed, onreset: () => setTimeout(refreshed)},
    h("h3", {id: "decide-title"}, "Your decision"),
    h("p.notice", {id: "notice", role: "status"}),
    form.asked.map(question),
    h("p.error", {id: "error-form", role: "alert"}),
    h("div.actions", null,
      h("button.primary", {type: "submit", id: "send"}, buttonText),
      h("button.quiet", {type: "reset"}, "Clear")));
  fill($("decide"), form.el);
  if (form.draft) setValues(form.draft);
}

// values gives the form as {field: text}; an empty one is left out.
function values() {
  const out = {};
  if (!form.el) return out;
  for (const [name, value] of new FormData(form.el)) if (value !== "") out[name] = value;
  return out;
}

function setValues(map) {
  for (const {name, kind} of form.asked) {
    if (map[name] === undefined) continue;
    if (kind === "choice") {
      const option = [...form.el.elements[name]].find((o) => o.value === map[name]);
      if (option) option.checked = true;
    } else {
      form.el.elements[name].value = map[name];
    }
  }
  refreshed();
}

// actionOf is the action as JSON text: choices as words, days as a number, the score as it was typed.
function actionOf(map) {
  const action = {};
  for (const {name, kind} of form.asked) {
    if (map[name] === undefined) continue;
    action[name] = kind === "score" || name === "urgency_days" ? typed(map[name]) : map[name];
  }
  return encode(action);
}

// refreshed lets sliders and counters follow values that were not typed.
function refreshed() {
  for (const el of form.el.querySelectorAll("input.number, textarea")) el.dispatchEvent(new Event("input", {bubbles: true}));
}

// changed keeps what is typed for a reload, and takes back what was said about the field.
function changed(event) {
  setDraft(values());
  const box = event.target.closest(".question");
  if (box) setError(box.dataset.name, "");
  if (form.missing) setNotice("");
  form.missing = "";
  $("error-form").textContent = "";
  callsChanged();
}

const boxOf = (name) => form.el && form.el.querySelector('.question[data-name="' + CSS.escape(name) + '"]');

function setError(name, text) {
  const box = boxOf(name);
  if (!box) return false;
  $("error-" + name).textContent = text;
  box.classList.toggle("wrong", text !== "");
  const control = box.matches("[role=radiogroup]") ? box : box.querySelector("input.number, textarea");
  if (text) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
  return true;
}

function setNotice(text) {
  $("notice").textContent = text;
}

// showRefusal puts each message at its field, and what belongs to none over the button. The focus goes to the first.
function showRefusal(refused) {
  const rest = [];
  let first = "";
  for (const {field, message} of refused.fields) {
    if (setError(field, message)) first ||= field;
    else rest.push(field ? field + ": " + message : message);
  }
  if (refused.fields.length === 0) rest.push(refused.message);
  $("error-form").textContent = rest.join("; ");
  focusQuestion(first ? boxOf(first) : null);
}

// focusQuestion goes to the chosen option of a question, or its first control.
function focusQuestion(box) {
  if (!box) return;
  (box.querySelector("input:checked, input.number, textarea") || box.querySelector("input")).focus();
}

const unanswered = (map) => form.asked.filter(({name}) => map[name] === undefined);

// sent asks once more before a queue ticket is sent with something left open, since it cannot be answered twice; a desk
// ticket can, and its server says what is missing.
function sent(event) {
  event.preventDefault();
  const map = values();
  const open = unanswered(map);
  const names = open.map((q) => q.title.toLowerCase()).join(", ");
  if (game.track === "queue" && open.length > 0 && form.missing !== names) {
    setNotice("Still open: " + names + ". Send again to leave " + (open.length === 1 ? "it" : "them") + " empty.");
    form.missing = names;
    focusQuestion(boxOf(open[0].name));
    return;
  }
  form.submit(actionOf(map));
}

// setBusy marks the button while an answer is on its way. It stays focusable, so that the focus is not lost.
function setBusy(on) {
  const send = $("send");
  if (send) send.setAttribute("aria-disabled", String(on));
  $("panel-play").setAttribute("aria-busy", String(on));
}
