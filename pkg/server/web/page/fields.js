// The questions of both tracks, and the controls that answer them.

const questions = {
  route_category: {part: "route", title: "Route", hint: "the team that acts", key: "r", kind: "choice"},
  urgency_assessment: {part: "urgency", title: "Urgency", hint: "how soon", key: "u", kind: "choice"},
  resolution_difficulty: {part: "difficulty", title: "Difficulty", hint: "of resolving it", key: "d", kind: "choice"},
  priority_score: {part: "priority", title: "Priority score", hint: "0 to 100", key: "p", kind: "score"},
  category: {part: "category", title: "Category", hint: "what kind of request", key: "c", kind: "choice"},
  priority: {part: "priority", title: "Priority", hint: "by the handbook's points", key: "p", kind: "choice"},
  urgency_days: {part: "urgency_days", title: "Urgency", hint: "days to resolve", key: "u", kind: "choice"},
  department: {part: "department", title: "Department", hint: "who takes it", key: "d", kind: "choice"},
  recommendation: {part: "recommendation", title: "Recommendation", hint: "what to do next", key: "w", kind: "text"},
};

// questionsOf lists what a task asks for, each with its name.
const questionsOf = (track, difficulty) => taskOf(track, difficulty).asked.map((name) => ({name, ...questions[name]}));

// titleOfPart is the heading of a graded part.
function titleOfPart(track, part) {
  const found = settings.tasks.filter((t) => t.track === track).flatMap((t) => t.asked).find((name) => questions[name].part === part);
  return found ? questions[found].title : words(part);
}

const builders = {choice, score: scoreField, text: textField};

// question makes the control of one question, with a place for its error.
function question(q) {
  const box = builders[q.kind](q);
  box.dataset.name = q.name;
  box.append(h("p.error", {id: "error-" + q.name}));
  return box;
}

const caption = (q) => [h("span.title", null, q.title), " ", h("span.hint", null, q.hint), h("kbd", {"aria-hidden": "true"}, q.key.toUpperCase())];

function choice(q) {
  const values = settings.words[q.name];
  return h("fieldset.question", {role: "radiogroup", "aria-labelledby": "title-" + q.name, "aria-describedby": "error-" + q.name},
    h("legend", {id: "title-" + q.name}, caption(q)),
    h("div.options", {"data-n": values.length}, values.map((value, i) =>
      h("label.option", null,
        h("input", {type: "radio", name: q.name, value}),
        values.length > 5 ? null : h("kbd", {"aria-hidden": "true"}, i + 1),
        h("span", null, typeof value === "number" ? value : words(value))))));
}

function scoreField(q) {
  const number = h("input.number", {type: "text", inputmode: "numeric", id: q.name, name: q.name, autocomplete: "off", size: 4, maxlength: 12,
    "aria-describedby": "error-" + q.name});
  const slider = h("input.unset", {type: "range", min: 0, max: 100, step: 1, value: 0, "aria-label": "Priority score, as a slider"});
  const follow = () => {
    const v = number.value.trim();
    slider.classList.toggle("unset", v === "");
    slider.setAttribute("aria-valuetext", v === "" ? "not set" : v);
    if (/^\d+$/.test(v)) slider.value = v;
    else if (v === "") slider.value = 0;
  };
  number.addEventListener("input", follow);
  slider.addEventListener("input", () => {
    number.value = slider.value;
    follow();
  });
  follow();
  return h("div.question", null, h("label.legend", {for: q.name}, caption(q)), h("div.slide", null, slider, number));
}

function textField(q) {
  const count = h("p.count", {id: "count-" + q.name});
  const area = h("textarea", {id: q.name, name: q.name, rows: 4, "aria-describedby": "count-" + q.name + " error-" + q.name});
  const follow = () => {
    const n = characters(area.value), w = area.value.split(/\s+/).filter(Boolean).length;
    count.classList.toggle("over", n > settings.text_length);
    count.textContent = n.toLocaleString("en") + " of " + settings.text_length.toLocaleString("en") + " characters, " + plural(w, "word");
  };
  area.addEventListener("input", follow);
  follow();
  return h("div.question", null, h("label.legend", {for: q.name}, caption(q)), area, count);
}
