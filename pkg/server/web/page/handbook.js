// The second tab: the handbook as the server tells it, fetched when the tab is first opened.

const handbook = {state: ""}; // "", "asked" or "shown"

async function openHandbook() {
  if (handbook.state !== "") return;
  handbook.state = "asked";
  const panel = $("panel-handbook");
  fill(panel, h("p.note", {role: "status"}, "Fetching the handbook …"));
  try {
    const {data} = await request(base + "/metadata", {});
    const toc = [];
    const body = data.readme_content ? markdown(data.readme_content, toc) : h("p", null, "This server tells no handbook.");
    fill(panel, contents(toc), h("div.text", null, body));
    handbook.state = "shown";
  } catch (e) {
    if (!(e instanceof Lost || e instanceof Refused)) throw e;
    handbook.state = "";
    fill(panel, h("p.error", {role: "alert"}, e.message), h("button", {type: "button", onclick: openHandbook}, "Try again"));
  }
}

// contents lists the sections; those under a section are set in.
function contents(toc) {
  const entries = toc.filter((t) => t.level === 2 || t.level === 3);
  if (entries.length < 2) return null;
  return h("nav.toc", {"aria-label": "Sections of the handbook"}, h("ul", null, entries.map((t) =>
    h(t.level === 3 ? "li.deeper" : "li", null, h("a", {href: "#" + t.id}, t.text)))));
}
