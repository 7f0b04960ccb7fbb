// The list: filters, search, order and pages.

const pageSize = 50;

const list = {rows: [], page: 0, search: 0};

const results = [["", "all"], ["right", "right (desk: the target is reached)"], ["not", "not right"], ["partly", "partly right"], ["zero", "score 0"], ["refused", "refused or no answer"], ["broke", "broke: counts as 0"]];

const orders = [["", "as played"], ["low", "score, lowest first"], ["high", "score, highest first"], ["long", "longest text first"], ["short", "shortest text first"],
  ["wait", "longest wait first"], ["subject", "subject"]];

const fields = {text: "f-text", agent: "f-agent", task: "f-task", result: "f-result", trap: "f-trap", sort: "f-sort"};

function options(el, pairs) {
  fill(el, pairs.map(([value, text]) => h("option", {value}, text)));
}

const haystacks = [];

function haystack(row) {
  if (!haystacks[row]) haystacks[row] = [index.id[row], index.subject[row], index.customer[row], index.scenario[row], index.seed[row]].join("\n").toLowerCase();
  return haystacks[row];
}

const needles = () => $("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);

// matches tells whether a row passes the filters, apart from the search.
function matches(row, want) {
  const {agent, task} = tallyOf(row);
  if (want.agent && agent !== want.agent || want.task && task !== want.task) return false;
  if (want.trap && !(" " + index.traps[row] + " ").includes(" " + want.trap + " ")) return false;
  const score = index.score[row];
  switch (want.result) {
  case "right": return index.right[row] === 1;
  case "not": return index.right[row] !== 1;
  case "partly": return score > 0 && index.right[row] !== 1;
  case "zero": return score === 0;
  case "refused": return index.state[row] === 1;
  case "broke": return index.state[row] === 2;
  }
  return true;
}

function wanted() {
  const out = {};
  for (const [name, id] of Object.entries(fields)) out[name] = $(id).value;
  return out;
}

// deep looks for words in everything that the rows hold, a chunk at a time.
async function deep(rows, words, turn) {
  const out = [];
  let at = 0;
  for (let n = 0; n + 1 < starts.length && at < rows.length; n++) {
    if (rows[at] >= starts[n + 1]) continue;
    const data = await chunk(n);
    if (list.search !== turn) return null;
    for (; at < rows.length && rows[at] < starts[n + 1]; at++) {
      const text = haystack(rows[at]) + "\n" + textsOf(data[rows[at] - starts[n]], []).join("\n").toLowerCase();
      if (words.every((w) => text.includes(w))) out.push(rows[at]);
    }
    $("count").textContent = "Searched " + number(starts[n + 1]) + " of " + number(rowCount()) + " tickets …";
  }
  return out;
}

const compare = {
  low: (a, b) => index.score[a] - index.score[b],
  high: (a, b) => index.score[b] - index.score[a],
  long: (a, b) => index.length[b] - index.length[a],
  short: (a, b) => index.length[a] - index.length[b],
  wait: (a, b) => index.wait[b] - index.wait[a],
  subject: (a, b) => (index.subject[a] < index.subject[b] ? -1 : index.subject[a] > index.subject[b] ? 1 : 0),
};

// refresh finds the rows that are wanted and shows their first page.
async function refresh() {
  const turn = ++list.search;
  const want = wanted(), words = needles();
  let rows = [];
  for (let i = 0; i < rowCount(); i++) if (matches(i, want)) rows.push(i);
  if (words.length > 0) {
    rows = $("f-deep").checked ? await deep(rows, words, turn) : rows.filter((i) => words.every((w) => haystack(i).includes(w)));
    if (rows === null) return; // another search has begun
  }
  if (compare[want.sort]) rows.sort((a, b) => compare[want.sort](a, b) || a - b);
  list.rows = rows;
  list.page = 0;
  remember(want);
  render();
}

// remember keeps the filters in the address, so that a page that is loaded again has them.
function remember(want) {
  const set = Object.entries(want).filter(([, v]) => v !== "");
  if ($("f-deep").checked) set.push(["deep", "1"]);
  try {
    if (set.length > 0) history.replaceState(null, "", "#list&" + new URLSearchParams(set));
    else if (location.hash.startsWith("#list&")) history.replaceState(null, "", "#tickets");
  } catch {
    // some browsers forbid it for files
  }
}

function recall() {
  if (!location.hash.startsWith("#list&")) return;
  const had = new URLSearchParams(location.hash.slice(6));
  for (const [name, id] of Object.entries(fields)) if (had.has(name)) $(id).value = had.get(name);
  $("f-deep").checked = had.has("deep");
  for (const id of Object.values(fields)) if ($(id).value === "" && $(id).options) $(id).selectedIndex = 0;
}

function markOf(row) {
  if (index.state[row] === 2) return ["wrong", "!", "broke"];
  if (index.state[row] === 1) return ["wrong", "✗", "refused"];
  if (index.right[row] === 1) return ["right", "✓", ""];
  return index.score[row] > 0 ? ["", "◐", ""] : ["wrong", "✗", ""];
}

function rowOf(row) {
  const {agent, task} = tallyOf(row);
  const [kind, sign, word] = markOf(row);
  return h("tr", null,
    h("td.score", null, h("span.mark" + (kind ? "." + kind : ""), {"aria-hidden": "true"}, sign), " " + scoreText(row), word ? h("span.small", null, " " + word) : null),
    h("td.what", null, h("button.open", {type: "button", "data-row": row, onclick: (e) => { openedFrom = e.currentTarget; openTicket(row); }},
      h("span.id", null, index.id[row] || "–"), h("bdi", null, index.subject[row] || "(no subject)"))),
    h("td.small.c-agent", null, agent), h("td.small.c-task", null, task), h("td.small.c-place", null, placeOf(row)), h("td.small.c-traps", null, index.traps[row].split(" ").join(", ")));
}

const pages = () => Math.max(1, Math.ceil(list.rows.length / pageSize));

function render() {
  const n = list.rows.length, from = list.page * pageSize;
  // What is found while somebody types does not make the page shorter under their eyes.
  $("list").style.minHeight = n < rowCount() ? $("list").offsetHeight + "px" : "";
  $("rows-holder").hidden = n === 0;
  fill($("rows"), list.rows.slice(from, from + pageSize).map(rowOf));
  $("count").textContent = n === 0 ? "No ticket is like that." : number(n) + (n === 1 ? " ticket" : " tickets") + (n < rowCount() ? " of " + number(rowCount()) : "") +
    (n > pageSize ? "; shown are " + number(from + 1) + " to " + number(Math.min(n, from + pageSize)) : "");
  $("page-number").textContent = "Page " + number(list.page + 1) + " of " + number(pages());
  for (const id of ["first", "previous"]) $(id).disabled = list.page === 0;
  for (const id of ["next", "last"]) $(id).disabled = list.page >= pages() - 1;
  document.querySelector(".pager").hidden = pages() === 1;
}

function turnTo(page) {
  const to = Math.min(Math.max(page, 0), pages() - 1);
  if (to === list.page) return;
  list.page = to;
  render();
  if (document.activeElement === document.body || document.activeElement.disabled) $("rows-holder").querySelector("button").focus();
}

// showRow turns to the page of a row.
function showRow(row) {
  const at = list.rows.indexOf(row);
  if (at >= 0) turnTo(Math.floor(at / pageSize));
}

async function startList() {
  if (!$("list")) return;
  await loadIndex();
  if (rowCount() < settings.total) {
    $("list-note").textContent = "This browser cannot unpack the tickets (it has no DecompressionStream): the list has the first " + number(rowCount()) + " of " + number(settings.total) + ".";
    $("list-note").hidden = false;
  }
  const distinct = (of) => [...new Set(settings.tallies.map(of))];
  options($("f-agent"), [["", "all"], ...distinct((t) => t.agent).sort().map((v) => [v, v])]);
  options($("f-task"), [["", "all"], ...distinct((t) => t.task).sort().map((v) => [v, v])]);
  options($("f-trap"), [["", "any or none"], ...[...(settings.traps || [])].sort().map((v) => [v, words(v)])]);
  options($("f-result"), results);
  options($("f-sort"), orders);
  $("f-trap").closest(".field").hidden = (settings.traps || []).length === 0;
  $("list").hidden = false;
  recall();
  let waiting = 0;
  $("f-text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(refresh, $("f-deep").checked ? 500 : 120); });
  for (const id of ["f-deep", "f-agent", "f-task", "f-result", "f-trap", "f-sort"]) $(id).addEventListener("change", refresh);
  $("filters").addEventListener("submit", (e) => { e.preventDefault(); refresh(); });
  $("filters").addEventListener("reset", () => setTimeout(refresh));
  for (const [id, to] of [["first", () => 0], ["previous", () => list.page - 1], ["next", () => list.page + 1], ["last", () => pages() - 1]]) {
    $(id).addEventListener("click", () => turnTo(to()));
  }
  startDetail();
  await refresh();
  document.documentElement.dataset.ready = "list";
}
