// A small Markdown: headings, paragraphs, nested lists, tables, fenced and inline code, bold, emphasis, https links. It makes
// elements and text, never markup, so that a text cannot become more than a text.

// markdown renders a text. Headings go down by one level, since the page has its own first one. toc, if given, is filled
// with {level, id, text} of each heading.
function markdown(text, toc) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const out = [];
  let i = lines[0] === "---" ? lines.indexOf("---", 1) + 1 : 0; // front matter
  while (i < lines.length) {
    const block = blockAt(lines, i, toc);
    if (block.node) out.push(block.node);
    i = block.next;
  }
  return out;
}

const listMark = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const isTable = (lines, i) => lines[i].includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[i + 1] || "") && (lines[i + 1] || "").includes("|");

// blockAt reads the block that begins at a line.
function blockAt(lines, i, toc) {
  const line = lines[i];
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (line.trim() === "") return {next: i + 1};
  if (heading) return {node: headingOf(heading, toc), next: i + 1};
  if (/^\s*```/.test(line)) return fence(lines, i);
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return {node: h("hr"), next: i + 1};
  if (isTable(lines, i)) return tableAt(lines, i);
  if (listMark.test(line)) return listAt(lines, i);
  let next = i;
  while (next < lines.length && (next === i || !begins(lines, next))) next++;
  return {node: h("p", null, inline(lines.slice(i, next).join(" "))), next};
}

// begins tells whether another block begins at a line, which ends a paragraph.
const begins = (lines, i) => lines[i].trim() === "" || /^(#{1,6}\s|\s*```)/.test(lines[i]) || listMark.test(lines[i]) || isTable(lines, i);

function headingOf([, marks, text], toc) {
  const level = Math.min(6, marks.length + 1);
  const el = h("h" + level, null, inline(text));
  el.id = "hb-" + el.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  if (toc) {
    while (toc.some((t) => t.id === el.id)) el.id += "-2";
    toc.push({level: marks.length, id: el.id, text: el.textContent});
  }
  return el;
}

function fence(lines, i) {
  let end = i + 1;
  while (end < lines.length && !/^\s*```/.test(lines[end])) end++;
  return {node: h("pre", null, h("code", null, lines.slice(i + 1, end).join("\n"))), next: end + 1};
}

// cells splits a table's row at the bars that are not escaped.
const cells = (line) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, "|"));

function tableAt(lines, i) {
  const right = cells(lines[i + 1]).map((c) => c.endsWith(":"));
  const row = (line, tag) => h("tr", null, cells(line).map((c, n) =>
    h(right[n] ? tag + ".number" : tag, tag === "th" ? {scope: "col"} : null, inline(c))));
  let next = i + 2;
  const body = [];
  while (next < lines.length && lines[next].trim() !== "" && lines[next].includes("|")) body.push(row(lines[next++], "td"));
  return {node: scroller(h("table", null, h("thead", null, row(lines[i], "th")), h("tbody", null, body))), next};
}

// listAt reads a list with what is indented under its items.
function listAt(lines, i) {
  const [, indent0, ordered] = listMark.exec(lines[i]);
  const list = h(ordered ? "ol" : "ul", ordered && ordered !== "1" ? {start: ordered} : null);
  let next = i;
  while (next < lines.length) {
    const mark = listMark.exec(lines[next]);
    if (!mark || mark[1].length !== indent0.length || Boolean(mark[2]) !== Boolean(ordered)) break;
    const text = [mark[3]];
    const nested = [];
    next++;
    while (next < lines.length && lines[next].trim() !== "") {
      const deeper = listMark.exec(lines[next]);
      if (deeper && deeper[1].length <= indent0.length) break;
      if (!deeper && !/^\s/.test(lines[next]) && begins(lines, next)) break;
      if (deeper) {
        const inner = listAt(lines, next);
        nested.push(inner.node);
        next = inner.next;
      } else {
        text.push(lines[next++].trim());
      }
    }
    list.append(h("li", null, inline(text.join(" ")), nested));
    if (next < lines.length && lines[next].trim() === "" && listMark.test(lines[next + 1] || "") ) next++;
  }
  return {node: list, next};
}

const spans = /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/;

// inline reads what stands inside a line.
function inline(text) {
  const out = [];
  let rest = text;
  for (let m = spans.exec(rest); m; m = spans.exec(rest)) {
    out.push(rest.slice(0, m.index));
    if (m[2] !== undefined) out.push(h("code", null, m[2].trim()));
    else if (m[3] !== undefined) out.push(h("strong", null, inline(m[3])));
    else if (m[4] !== undefined) out.push(h("em", null, inline(m[4])));
    else out.push(linkOf(m[5], m[6]));
    rest = rest.slice(m.index + m[0].length);
  }
  out.push(rest);
  return out;
}

const linkOf = (text, target) => (/^https:\/\//.test(target) ? h("a", {href: target, rel: "noopener noreferrer"}, inline(text)) : inline(text));
