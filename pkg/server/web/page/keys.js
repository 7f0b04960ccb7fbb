// The keyboard: tabs by arrows, answers by digits, questions by letters.

const tabs = [["play", () => null], ["handbook", openHandbook], ["calls", showCalls]];

function showTab(name, focus) {
  for (const [other, open] of tabs) {
    const on = other === name, tab = $("tab-" + other);
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $("panel-" + other).hidden = !on;
    if (on) open();
    if (on && focus) tab.focus();
  }
}

function buildTabs() {
  const names = tabs.map(([name]) => name);
  for (const name of names) $("tab-" + name).addEventListener("click", () => showTab(name, true));
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const here = names.findIndex((n) => $("tab-" + n) === document.activeElement);
    const to = {ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: names.length - 1}[event.key];
    if (here < 0 || to === undefined) return;
    event.preventDefault();
    showTab(names.at(to % names.length), true);
  });
}

const keyTable = [
  ["1 … 9", "choose in the question that has the focus, or the first open one, and go to the next"],
  ["R U D P", "queue: go to route, urgency, difficulty, priority score"],
  ["C P U D W", "desk: go to category, priority, urgency, department, recommendation"],
  ["Arrows", "change a choice, the slider or the tab"],
  ["Delete", "take a choice back"],
  ["Enter", "send, or go on after a grading"],
  ["Ctrl + Enter", "send from within a text"],
  ["T", "go to the ticket"],
  ["N", "go to the next ticket, or begin the next episode after the end"],
  ["H", "handbook and back"],
  ["?", "this list; Esc closes it"],
];

function buildHelp() {
  fill($("help"),
    h("h2", {id: "help-title"}, "Keys"),
    h("dl.keys", null, keyTable.map(([keys, what]) => h("div", null, h("dt", null, keys.split(/( … | \+ | )/).map((k) => (/^ /.test(k) ? k : h("kbd", null, k)))), h("dd", null, what)))),
    h("label.check", null, h("input", {type: "checkbox", id: "single", checked: singleKeys(), onchange: (e) => local.set("single", e.target.checked)}), " Single keys act (letters and digits outside of text fields)"),
    h("form", {method: "dialog"}, h("button.primary", {id: "help-close"}, "Close")));
  $("help-open").addEventListener("click", () => $("help").showModal());
}

const singleKeys = () => local.get("single") !== false;

const isText = (el) => el instanceof HTMLElement && el.matches("textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range]):not([type=button])");

// onKey acts on keys anywhere on the page.
function onKey(event) {
  if ($("help").open || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing) return;
  const formSeen = form.el && form.el.isConnected && !$("panel-play").hidden;
  if (event.ctrlKey) {
    if (event.key === "Enter" && formSeen) {
      event.preventDefault();
      form.el.requestSubmit();
    }
    return;
  }
  if (isText(event.target)) return;
  const inGroup = event.target.closest && event.target.closest(".question[role=radiogroup]");
  if (formSeen && inGroup && (event.key === "Delete" || event.key === "Backspace")) return takeBack(event, inGroup);
  if (formSeen && /^[1-9]$/.test(event.key) && (inGroup || singleKeys())) return chooseNth(event, inGroup, Number(event.key));
  if (singleKeys()) letter(event, formSeen);
}

function takeBack(event, group) {
  event.preventDefault();
  for (const option of group.querySelectorAll("input:checked")) option.checked = false;
  group.dispatchEvent(new Event("input", {bubbles: true}));
}

// chooseNth answers a question by its number and goes on to the next one that follows it.
function chooseNth(event, inGroup, n) {
  const boxes = [...form.el.querySelectorAll(".question")];
  const group = inGroup || boxes.find((b) => b.matches("[role=radiogroup]") && !b.querySelector("input:checked"));
  const option = group && group.querySelectorAll("input")[n - 1];
  if (!option) return;
  event.preventDefault();
  option.checked = true;
  option.dispatchEvent(new Event("input", {bubbles: true}));
  const next = boxes[boxes.indexOf(group) + 1];
  if (next) focusQuestion(next);
  else $("send").focus();
}

function letter(event, formSeen) {
  const key = event.key.toLowerCase();
  const asked = formSeen && form.asked.find((q) => q.key === key);
  const acts = {
    "?": () => $("help").showModal(),
    h: () => showTab($("panel-handbook").hidden ? "handbook" : "play", true),
    t: () => !$("panel-play").hidden && focusOn($("subject")),
    n: () => !$("panel-play").hidden && $("next") && $("next").click(),
  };
  const act = asked ? () => focusQuestion(boxOf(asked.name)) : acts[key];
  if (!act) return;
  event.preventDefault();
  act();
}
