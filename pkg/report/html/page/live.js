// A page that is served follows its run: how far it is, and whether there is something new to show.

function startLive() {
  const live = settings.live;
  if (!live || !live.Address) return;
  let version = live.version, wait = 2000;
  const stored = () => { try { return sessionStorage.getItem("auto") !== "no"; } catch { return true; } };
  $("live-auto").checked = stored();
  $("live-auto").addEventListener("change", () => { try { sessionStorage.setItem("auto", $("live-auto").checked ? "yes" : "no"); } catch { /* not kept */ } });
  $("live-now").addEventListener("click", () => location.reload());
  const idle = () => !($("ticket") && $("ticket").open) && !document.hidden && document.activeElement === document.body;
  const tell = (p) => {
    const bar = $("live-progress");
    if (p.planned > 0) { bar.max = p.planned; bar.value = p.done; } else if (!p.ended) bar.removeAttribute("value");
    $("live-text").textContent = number(p.done) + (p.planned > 0 ? " of " + number(p.planned) : "");
    const fresh = p.version !== version;
    $("live-actions").hidden = !fresh && p.ended;
    $("live-now").hidden = !fresh;
    const short = p.planned > 0 && p.done < p.planned;
    const ended = short ? "The run was interrupted at " + number(p.done) + " of " + number(p.planned) + " episodes" : "The run has ended";
    const state = p.ended ? ended + (fresh ? "; there is something new to show." : ".") : "";
    if ($("live-state").textContent !== state) $("live-state").textContent = state;
    if (fresh && $("live-auto").checked && idle()) location.reload();
    return p.ended && !fresh;
  };
  const ask = async () => {
    try {
      const answer = await fetch(live.Address, {cache: "no-store"});
      if (!answer.ok) throw new Error(answer.status);
      wait = 2000;
      if (tell(await answer.json())) return;
    } catch {
      $("live-state").textContent = "No connection to the program that serves this page; it is asked again.";
      wait = Math.min(wait * 2, 30000);
    }
    setTimeout(ask, wait);
  };
  $("live-actions").hidden = false;
  $("live-now").hidden = true;
  if (!tell(live)) setTimeout(ask, wait);
}
