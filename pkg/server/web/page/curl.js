// Calls as text: JSON to read, curl to paste.

// indent lays out JSON text without reading its numbers, so that 1.0 and seeds of 19 digits stay what they are. Empty and
// short flat objects stay on their line. What is no JSON comes back as it is.
function indent(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let out = "", depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  for (const piece of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) || []) {
    if (piece === "{" || piece === "[") {
      depth++;
      out += piece + line();
    } else if (piece === "}" || piece === "]") {
      depth--;
      out = /[{[]\s*$/.test(out) ? out.trimEnd() + piece : out + line() + piece;
    } else if (piece === ",") {
      out += "," + line();
    } else {
      out += piece === ":" ? ": " : piece;
    }
  }
  return out;
}

// quote puts text into single quotes for a POSIX shell.
const quote = (text) => "'" + text.replace(/'/g, "'\\''") + "'";

// curlOf gives a call as a line for the shell. The bearer token is never written out: the shell's variable TOKEN stands
// for it, and SESSION for a session that is not known yet.
function curlOf({kind, track, session: id, body}) {
  const parts = ["curl -sS " + quote(location.origin + pathOf(track, kind))];
  if (settings.tokens) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (id) parts.push("-H " + quote("X-Triage-Session: " + id));
  else if (kind !== "reset") parts.push('-H "X-Triage-Session: $SESSION"');
  if (paths[kind] === "POST") {
    parts.push("-H 'Content-Type: application/json'");
    parts.push("-d " + quote(body || "{}"));
  }
  return parts.join(" \\\n  ");
}

// copy puts text on the clipboard; where the browser does not allow that (plain http from afar, some frames), by way of
// the element that shows it.
async function copy(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(shown);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  }
}
