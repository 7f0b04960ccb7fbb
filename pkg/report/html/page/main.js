// The script stands before the tickets, so that the page is seen while they come.
addEventListener("DOMContentLoaded", () => {
  reachable();
  startLive();
  startList().catch((e) => {
    $("list-note").textContent = "The list of tickets cannot be shown: " + e.message;
    $("list-note").hidden = false;
  });
});
