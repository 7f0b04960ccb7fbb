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
