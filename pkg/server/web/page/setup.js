// What is played: track, difficulty, seed, split, and the token where the server wants one.

const tracks = {queue: "Queue", desk: "Desk"};

const setup = {el: $("setup")};

// buildSetup makes the form once. The address may choose: ?track=desk&difficulty=hard&seed=7&split=test.
function buildSetup() {
  const asked = new URLSearchParams(location.search);
  const pick = (name, allowed, otherwise) => (allowed.includes(asked.get(name)) ? asked.get(name) : otherwise);
  const tiles = (name, title, list, chosen) => h("fieldset", {role: "radiogroup", "aria-labelledby": "title-" + name},
    h("legend", {id: "title-" + name}, title),
    h("div.options", null, list.map(([value, text]) => h("label.option", null,
      h("input", {type: "radio", name, value, checked: value === chosen}), h("span", null, text)))));
  fill(setup.el,
    h("h2", {id: "setup-title"}, "New episode"),
    h("p.lead", {id: "lead"}, "Read support tickets as a help desk does, decide by the ", h("button.link", {type: "button", onclick: () => showTab("handbook", true)}, "handbook"),
      settings.sealed ? " and get a score at the end." : ", and see after each decision what it earned, why, and what a rule-based agent did with the same ticket."),
    h("div.row", null,
      tiles("track", "Track", Object.entries(tracks), pick("track", Object.keys(tracks), addressTrack || settings.track)),
      tiles("difficulty", "Difficulty", ["easy", "medium", "hard"].map((d) => [d, words(d)]), pick("difficulty", ["easy", "medium", "hard"], "easy")),
      settings.sealed ? null : seedField(asked.get("seed")),
      settings.sealed ? null : h("div.labelled", null, h("label", {for: "split"}, "Split"),
        h("select", {id: "split", name: "split"}, settings.splits.map((s) => h("option", {value: s, selected: s === pick("split", settings.splits, "train")}, s)))),
      settings.tokens ? tokenField() : null),
    h("p.about", {id: "about"}),
    h("p.error", {id: "error-setup", role: "alert"}),
    h("div.actions", null, h("button.primary", {type: "submit"}, "Start"),
      h("button.quiet", {type: "button", id: "setup-cancel", onclick: closeSetup, hidden: true}, "Back to the running episode")));
  setup.el.addEventListener("submit", (event) => {
    event.preventDefault();
    start(chosen());
  });
  setup.el.addEventListener("input", describe);
  describe();
}

function seedField(asked) {
  return h("div.labelled", null, h("label", {for: "seed"}, "Seed"),
    h("div.joined", null,
      h("input", {type: "text", inputmode: "numeric", id: "seed", name: "seed", size: 10, autocomplete: "off", maxlength: 20,
        value: asked || randomSeed(), "aria-describedby": "error-seed"}),
      h("button", {type: "button", id: "seed-random", onclick: () => {
        $("seed").value = randomSeed();
        setSetupError("seed", "");
        say("Seed " + $("seed").value);
      }}, "Random")),
    h("p.error", {id: "error-seed"}));
}

function tokenField() {
  return h("div.labelled", null, h("label", {for: "token"}, "Access token"),
    h("input", {type: "password", id: "token", autocomplete: "off", value: token, "aria-describedby": "error-token", oninput: (e) => {
      setToken(e.target.value.trim());
      setSetupError("token", "");
    }}),
    h("p.error", {id: "error-token"}));
}

const randomSeed = () => String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);

// chosen reads the form; an empty seed becomes a random one, so that the episode can be told and begun again.
function chosen() {
  const data = new FormData(setup.el);
  const seed = $("seed");
  if (seed && seed.value.trim() === "") seed.value = randomSeed();
  return {track: data.get("track"), difficulty: data.get("difficulty"), seed: seed ? seed.value.trim() : "", split: data.get("split") || ""};
}

// describe says what the chosen task is.
function describe(event) {
  if (event && event.target.id === "seed") setSetupError("seed", "");
  const {track, difficulty} = Object.fromEntries(new FormData(setup.el));
  const task = taskOf(track, difficulty);
  const asked = task.asked.map((name) => questions[name].title.toLowerCase()).join(", ");
  const what = track === "queue" ? plural(task.tickets, "ticket") + ", one decision each: " : "One ticket, at most " + plural(task.steps, "submission") + ": ";
  $("about").textContent = what + asked + ". Target " + targetText(task) + "." + (settings.sealed ? " The server is sealed: it picks the tickets and tells your score at the end." : "");
  callsChanged();
}

function setSetupError(field, text) {
  const place = $("error-" + field);
  if (!place) return false;
  place.textContent = text;
  const control = $(field);
  if (control && text) control.setAttribute("aria-invalid", "true");
  else if (control) control.removeAttribute("aria-invalid");
  return true;
}

// showSetupRefusal puts what the server says at the seed where it is about the seed, else over the button.
function showSetupRefusal(refused) {
  const named = refused.fields.length > 0 ? refused.fields : [{field: /\bseed\b/.test(refused.message) ? "seed" : "", message: refused.message}];
  const rest = [];
  for (const {field, message} of named) {
    if (field === "seed" && setSetupError("seed", message)) $("seed").focus();
    else rest.push(field ? field + ": " + message : message);
  }
  $("error-setup").textContent = rest.join("; ");
}

function clearSetupErrors() {
  for (const name of ["seed", "token", "setup"]) setSetupError(name, "");
}

function openSetup() {
  setup.el.hidden = false;
  $("setup-cancel").hidden = !game.session || game.done;
  setup.el.scrollIntoView({block: "nearest"});
  setup.el.querySelector("input:checked").focus();
}

function closeSetup() {
  setup.el.hidden = true;
  focusOn($("new-episode"));
}
