// The tickets: an index of columns, and chunks of rows that are unpacked when they are looked at.

let index = null; // the columns
let starts = []; // the first row of each chunk, and one more at the end
const kept = new Map(); // unpacked chunks, the last used at the end
const mostKept = 4;

const canUnpack = () => typeof DecompressionStream === "function" && Boolean($("index"));

// unpack gives the text of a packed element.
async function unpack(id) {
  const packed = atob($(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// loadIndex reads the index: the whole one or, where nothing can be unpacked, that of the first rows.
async function loadIndex() {
  if (canUnpack()) {
    index = JSON.parse(await unpack("index"));
  } else {
    index = JSON.parse($("plain-index").textContent);
    kept.set(0, JSON.parse($("plain").textContent));
  }
  starts = [0];
  for (const n of index.chunks) starts.push(starts[starts.length - 1] + n);
}

const rowCount = () => index.tally.length;

// chunk gives the rows of a chunk.
async function chunk(n) {
  let rows = kept.get(n);
  if (!rows) rows = JSON.parse(await unpack("chunk-" + n));
  kept.delete(n);
  kept.set(n, rows);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value);
  return rows;
}

// ticketAt gives a row with everything.
async function ticketAt(row) {
  let n = 0;
  while (starts[n + 1] <= row) n++;
  return (await chunk(n))[row - starts[n]];
}

const tallyOf = (row) => settings.tallies[index.tally[row]];

// scoreOf gives 0..1, or null where there is none.
const scoreOf = (row) => (index.score[row] < 0 ? null : index.score[row] / 1e6);

const scoreText = (row) => (index.score[row] < 0 ? "–" : scoreOf(row).toFixed(3));

// placeOf names the place of a ticket.
function placeOf(row) {
  const {track} = tallyOf(row);
  const trial = index.trial[row] > 0 ? ", trial " + index.trial[row] : "";
  if (track === "queue") return index.seed[row] + "/" + index.position[row] + trial;
  return index.seed[row] + trial;
}

// sameTicket is equal for answers of several agents, runs and trials to one ticket.
const sameTicket = (row) => [tallyOf(row).task, index.seed[row], index.position[row], index.id[row]].join("\u0000");

let sharedBy = null; // rows by ticket

function othersOf(row) {
  if (!sharedBy) {
    sharedBy = new Map();
    for (let i = 0; i < rowCount(); i++) {
      const k = sameTicket(i);
      if (sharedBy.has(k)) sharedBy.get(k).push(i);
      else sharedBy.set(k, [i]);
    }
  }
  return sharedBy.get(sameTicket(row)).filter((i) => i !== row);
}

// textsOf joins the texts of a row, without the names of its fields, for searching.
function textsOf(value, out) {
  if (typeof value === "string") out.push(value);
  else if (value && typeof value === "object") for (const v of Object.values(value)) textsOf(v, out);
  return out;
}
