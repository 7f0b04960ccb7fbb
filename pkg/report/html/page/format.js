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
