// A bar chart of the rewards, drawn by hand: two bars a ticket, the person's filled and the heuristic's outlined, so that
// they differ without colour.

const chartHeight = 220;

// chart gives a figure with the drawing, its legend and a table that says the same. rows are {label, you, heuristic}; the
// heuristic's values may be missing.
function chart(title, unit, rows) {
  const both = rows.some((r) => typeof r.heuristic === "number");
  const holder = h("div.drawing");
  const figure = h("figure.chart", null,
    h("figcaption", null, title),
    h("p.legend", null, h("span.key.you", null, "You, mean " + score(mean(rows, "you"))),
      both ? h("span.key.heuristic", null, "Heuristic, mean " + score(mean(rows, "heuristic"))) : null),
    holder,
    h("details", {open: rows.length <= 4}, h("summary", null, "The same as a table"), chartTable(unit, rows, both)));
  const draw = () => fill(holder, drawing(title, unit, rows, both, Math.max(260, holder.clientWidth || 260)));
  draw();
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(holder);
  return figure;
}

function mean(rows, which) {
  const known = rows.map((r) => r[which]).filter((v) => typeof v === "number");
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : undefined;
}

function chartTable(unit, rows, both) {
  const number = (v) => h("td.number", null, score(v));
  return scroller(h("table", null,
    h("thead", null, h("tr", null, h("th", {scope: "col"}, unit), h("th.number", {scope: "col"}, "You"), both ? h("th.number", {scope: "col"}, "Heuristic") : null)),
    h("tbody", null, rows.map((r) => h("tr", null, h("th", {scope: "row"}, r.label), number(r.you), both ? number(r.heuristic) : null))),
    h("tfoot", null, h("tr", null, h("th", {scope: "row"}, "Mean"), number(mean(rows, "you")), both ? number(mean(rows, "heuristic")) : null))));
}

function drawing(title, unit, rows, both, width) {
  const left = 34, top = 8, bottom = 26;
  const tall = chartHeight - top - bottom;
  const y = (v) => top + tall * (1 - v);
  const slot = (width - left) / rows.length;
  const thick = Math.min(22, slot * (both ? 0.36 : 0.6));
  const out = svg("svg", {viewBox: "0 0 " + width + " " + chartHeight, width, height: chartHeight, role: "img",
    "aria-label": title + ": you " + score(mean(rows, "you")) + (both ? ", heuristic " + score(mean(rows, "heuristic")) : "") + ", as means"});
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    out.append(svg("line", {class: v === 0 ? "axis" : "grid", x1: left, x2: width, y1: y(v), y2: y(v)}));
    out.append(svg("text", {class: "tick", x: left - 6, y: y(v) + 4, "text-anchor": "end"}, v.toFixed(2)));
  }
  const every = Math.max(1, Math.ceil(24 / slot)); // labels that would touch are left out
  rows.forEach((r, i) => {
    const middle = left + slot * (i + 0.5);
    const one = (v, x, kind) => typeof v === "number" && out.append(svg("rect", {class: kind, x, width: thick, y: y(v), height: Math.max(1, tall * v)}));
    if (both) {
      one(r.you, middle - thick - 1, "you");
      one(r.heuristic, middle + 1, "heuristic");
    } else {
      one(r.you, middle - thick / 2, "you");
    }
    if (i % every === 0) out.append(svg("text", {class: "tick", x: middle, y: chartHeight - 8, "text-anchor": "middle"}, r.short || r.label));
  });
  return out;
}
