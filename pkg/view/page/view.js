// Follows what goes on: asks every other second, and only while the page is seen.
(() => {
  "use strict";
  const every = 2000;
  const board = document.getElementById("watch");
  const waiting = document.getElementById("wait");
  if (!board && !waiting) return;

  async function ask(address) {
    const answer = await fetch(address, { cache: "no-cache" });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }

  async function look() {
    if (document.hidden) return;
    if (waiting) {
      const p = await ask(waiting.dataset.address);
      waiting.querySelector(".state").textContent = p.state;
      if (p.version !== waiting.dataset.version && p.done > 0) location.reload();
      return;
    }
    const o = await ask("runs.json");
    if (!o.open) return;
    for (const item of document.querySelectorAll("[data-run]")) {
      const p = o.open[item.dataset.run];
      if (!p) continue;
      const bar = item.querySelector("progress");
      if (bar) bar.value = p.done;
      item.querySelector(".state").textContent = p.state;
    }
    const changed = document.getElementById("changed");
    if (o.version !== board.dataset.version && changed.hidden) changed.hidden = false;
  }

  // A server that was stopped is asked again: it may be back.
  async function follow() {
    await look().catch(() => {});
    setTimeout(follow, every);
  }
  setTimeout(follow, every);
})();
