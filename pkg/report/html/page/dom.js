// Building and formatting. Text always enters as text: there is no place here that reads markup.

const $ = (id) => document.getElementById(id);

const settings = JSON.parse($("settings").textContent);

// h makes an element: h("p.note", {id: "x", onclick: f}, "text", child, [children]). A null or false child is left out.
function h(what, attributes, ...children) {
  const [tag, ...classes] = what.split(".");
  const el = document.createElement(tag);
  if (classes.length > 0) el.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  add(el, children);
  return el;
}

function add(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : String(child));
  }
}

// fill replaces what an element holds.
function fill(el, ...children) {
  el.replaceChildren();
  add(el, children);
}

// announce tells those who listen.
function announce(text) {
  $("announce").textContent = "";
  setTimeout(() => { $("announce").textContent = text; }, 60);
}

// number prints a whole number with its thousands apart.
const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// words turns wait_time_hours into "Wait time hours".
function words(name) {
  const spaced = String(name).replace(/_/g, " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

// shown prints a value of an observation or an answer.
function shown(v) {
  if (v === null || v === undefined || v === "") return "–";
  if (v === true) return "yes";
  if (v === false) return "no";
  return typeof v === "object" ? JSON.stringify(v) : String(v);
}

// reachable lets keys scroll what is wider than its place, and only that.
function reachable() {
  const look = new ResizeObserver((entries) => {
    for (const {target: el} of entries) {
      const wide = el.scrollWidth > el.clientWidth + 1;
      const caption = el.querySelector("caption");
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "Wide table: " + (caption ? caption.textContent : "tickets")]]) {
        if (wide) el.setAttribute(name, value);
        else el.removeAttribute(name);
      }
    }
  });
  for (const el of document.querySelectorAll(".scroll")) look.observe(el);
}
