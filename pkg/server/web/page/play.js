// One episode: reset, steps, and what is shown after each. Nothing typed is lost when the server cannot be reached.

const game = emptyGame();

function emptyGame() {
  return {track: "", difficulty: "", seed: "", split: "", session: "", step: 0, done: false, observation: null, meta: null,
    tickets: [], answers: [], graded: [], you: null, heuristic: null, tallied: false,
    unsure: "", reviewDue: false, showing: ""};
}

function save() {
  session.set("game", game.session ? game : null);
}

// attempt does work that asks the server, once at a time. A lost connection is told with a button to try again; a refusal
// goes to refused, but for those that concern the whole page.
let busy = false;

async function attempt(work, {retry, refused} = {}) {
  if (busy) return;
  busy = true;
  setBusy(true);
  try {
    await work();
    hideBanner();
  } catch (e) {
    if (e instanceof Lost) showBanner(e.message + " What you typed is kept.", [["Try again", retry || (() => attempt(work, {retry, refused}))]]);
    else if (e instanceof Refused) turnedDown(e, refused);
    else throw e;
  } finally {
    busy = false;
    setBusy(false);
    callsChanged();
  }
}

function turnedDown(e, refused) {
  hideBanner();
  if (e.status === 401 || e.status === 403) {
    if (!$("token")) return showBanner(e.message, []);
    openSetup();
    setSetupError("token", e.message);
    return $("token").focus();
  }
  if (e.status === 409) return gone(e);
  if (refused) return refused(e);
  return showBanner(e.message, []);
}

// gone offers to go on when the server has forgotten the episode: begin it anew, or the same one with the answers given.
function gone(e) {
  const again = game.seed && !settings.sealed;
  showBanner("The server no longer has this episode. What you typed is kept. (" + e.message + ")", [
    ...(again ? [[game.answers.length > 0 ? "Begin it again with my answers" : "Begin it again", replay]] : []),
    ["New episode", () => {
      hideBanner();
      openSetup();
    }]]);
}

function showBanner(text, buttons) {
  fill($("banner"), h("p", null, text), h("div.actions", null, buttons.map(([name, act]) => h("button", {type: "button", onclick: act}, name))));
  const first = $("banner").querySelector("button");
  if (first) first.focus();
}

function hideBanner() {
  const had = $("banner").contains(document.activeElement);
  fill($("banner"));
  if (had && form.el && form.el.isConnected) $("send").focus();
}

// start begins an episode with the options of the setup form.
function start(options) {
  clearSetupErrors();
  return attempt(async () => {
    const old = calls.length;
    const got = await reset(options);
    calls.splice(0, old);
    Object.assign(game, emptyGame(), options, {session: got.session});
    setDraft(null);
    take(got.data);
    setup.el.hidden = true;
    showForm();
    focusOn($("subject"));
    say(placeText() + ". " + $("subject").textContent);
  }, {refused: showSetupRefusal});
}

const bodyOf = (o) => encode(settings.sealed ? {difficulty: o.difficulty} : {difficulty: o.difficulty, seed: typed(o.seed), split: o.split || undefined});

async function reset(options) {
  const got = await call("reset", options.track, "", bodyOf(options));
  return {data: got.data, session: (got.data.metadata && got.data.metadata.session) || got.session};
}

// take takes over what the server answered to a reset or a step.
function take(envelope) {
  game.observation = envelope.observation;
  game.done = envelope.done === true;
  game.meta = envelope.metadata || envelope.observation.metadata || null;
  if (game.track === "queue" && game.observation.ticket) game.tickets[game.observation.position] = game.observation.ticket;
  if (game.track === "desk") game.tickets[0] = game.observation;
  save();
}

// stepOf is how many steps an observation has behind it.
const stepOf = (o) => (game.track === "queue" ? o.position : o.step_count);

const stepBody = (action) => '{"action":' + action + "}";

// named gives a step's body a name: sent again by a browser over a connection that broke, it is the same step to the server.
const named = (action) => '{"action":' + action + ',"request_id":"' + crypto.getRandomValues(new Uint32Array(4)).join("-") + '"}';

// submit sends a decision. After a lost connection the answer may have arrived nevertheless: the state tells.
function submit(action) {
  return attempt(async () => {
    if (!game.unsure || !(await arrived())) await step(action);
    await afterStep();
  }, {retry: retrySubmit, refused: showRefusal});
}

function retrySubmit() {
  return game.reviewDue ? attempt(afterStep, {retry: retrySubmit}) : form.submit(actionOf(values()));
}

async function step(action) {
  game.unsure = action;
  save();
  let got;
  try {
    got = await call("step", game.track, game.session, named(action));
  } catch (e) {
    if (e instanceof Refused) game.unsure = "";
    throw e;
  }
  stepped(action, got.data);
}

function stepped(action, envelope) {
  // One step further; more, if a browser sent the request twice over a connection that broke.
  const now = Math.max(game.step + 1, stepOf(envelope.observation));
  while (game.step < now) {
    game.answers.push(action);
    game.step++;
  }
  game.unsure = "";
  game.reviewDue = true;
  take(envelope);
}

// arrived asks the state whether the step that got no answer was taken.
async function arrived() {
  const {data} = await call("state", game.track, game.session);
  if (data.step_count <= game.step) {
    game.unsure = "";
    return false;
  }
  stepped(game.unsure, data);
  return true;
}

// review fetches how the answers were graded. A server that does not tell is no error.
async function review() {
  if (!settings.sealed) {
    try {
      const {data} = await call("review", game.track, game.session);
      game.graded = data.graded || [];
      game.you = data.you ? data.you.mean : null;
      game.heuristic = data.heuristic ? data.heuristic.mean : null;
    } catch (e) {
      if (!(e instanceof Refused) || e.status !== 404) throw e;
    }
  }
  game.reviewDue = false;
  save();
}

async function afterStep() {
  await review();
  if (game.track === "desk" && !game.done) {
    showRunning();
    setNotice(game.observation.message);
    $("send").textContent = sendText();
    say(game.observation.message);
    markMissing(game.observation.message);
    return;
  }
  setDraft(null);
  tallyDesk();
  save();
  const entry = game.graded[game.step - 1] || game.graded[0];
  if (game.track === "desk") endDesk(entry);
  else if (entry && game.graded.length >= game.step) showGraded(game.step - 1);
  else goOn();
  if (entry) say(heard(game.track, game.step, entry));
}

// markMissing sets a word at the questions that the server's message names.
function markMissing(message) {
  const open = form.asked.filter(({name}) => new RegExp("\\b" + name + "\\b").test(message.replace(/^[^:]*:/, "")));
  for (const {name} of open) setError(name, "Still missing");
  focusQuestion(open.length > 0 ? boxOf(open[0].name) : null);
}

// replay begins the same episode anew and gives the same answers.
function replay() {
  return attempt(async () => {
    const answers = game.answers.slice();
    const got = await reset(game);
    game.session = got.session;
    Object.assign(game, {step: 0, unsure: "", reviewDue: false, answers: []});
    take(got.data);
    for (const action of answers) stepped(action, (await call("step", game.track, game.session, stepBody(action))).data);
    await review();
    if (game.done) return showEnd();
    showForm();
    focusOn($("send"));
    say("The episode goes on.");
  });
}

// resume goes on with the episode of before a reload.
function resume(saved) {
  Object.assign(game, emptyGame(), saved, {unsure: saved.unsure || ""});
  setup.el.hidden = true;
  return attempt(async () => {
    const {data} = await call("state", game.track, game.session);
    if (data.step_count > game.step && game.unsure) stepped(game.unsure, data);
    take({...data, metadata: null});
    await review();
    if (game.done) showEnd();
    else showForm();
  }, {refused: () => openSetup()});
}
