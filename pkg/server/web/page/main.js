// The beginning: theme, tabs, forms, and the episode of before a reload.

const themes = ["auto", "light", "dark"];

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  fill($("theme"), "Theme: " + name);
  local.set("theme", name === "auto" ? null : name);
}

setTheme(themes.includes(local.get("theme")) ? local.get("theme") : "auto");
$("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || "auto";
  setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
});

buildSetup();
buildTabs();
buildHelp();
document.addEventListener("keydown", onKey);

const before = session.get("game");
if (before && before.session && !new URLSearchParams(location.search).has("seed")) resume(before);
