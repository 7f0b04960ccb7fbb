const svgSpace = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const el = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes || {})) el.setAttribute(name, String(value));
  add(el, children);
  return el;
}

// unseen is text for those who listen.
const unseen = (text) => h("span.unseen", null, text);

// say announces something politely. The empty text in between makes the same message heard twice.
function say(text) {
  $("live").textContent = "";
  setTimeout(() => { $("live").textContent = text; }, 60);
}

// score prints 0..1 with three decimals; an unknown one is a dash.
const score = (v) => (typeof v === "number" && Number.isFinite(v) ? v.toFixed(3) : "–");

// signed prints a number with a true minus sign.
const signed = (v, digits) => (v < 0 ? "−" : "") + Math.abs(v).toFixed(digits);

const plural = (n, one, many) => n + " " + (n === 1 ? one : many || one + "s");

// words turns web_form into "Web form"; true names (FeatureRequest) become "Feature request".
function words(name) {
  const spaced = String(name).replace(/_/g, " ").replace(/([a-z])([A-Z])/g, (_, a, b) => a + " " + b.toLowerCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

// characters counts what a reader calls characters as the server does: code points.
const characters = (text) => [...text].length;

// reveal brings the beginning of a part into view where it is not.
function reveal(el) {
  const {top} = el.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.6) el.scrollIntoView({block: "start"});
}

// focusOn moves the focus to something that need not be a control, and brings its beginning into view.
function focusOn(el) {
  if (!el) return;
  if (!el.matches("a[href], button, input, select, textarea, [tabindex]")) el.setAttribute("tabindex", "-1");
  el.focus({preventScroll: true});
  reveal(el);
}

// scroller holds a table that may be wider than its place; then, and only then, keys can reach it to scroll.
function scroller(table) {
  const el = h("div.table", null, table);
  new ResizeObserver(() => {
    const wide = el.scrollWidth > el.clientWidth;
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "Wide table"]]) {
      if (wide) el.setAttribute(name, value);
      else el.removeAttribute(name);
    }
  }).observe(el);
  return el;
}

const taskOf = (track, difficulty) => settings.tasks.find((t) => t.track === track && t.difficulty === difficulty);
