// The ticket as a help desk shows it: subject, mail, and what is known beside it.

// mail lays out a body: paragraphs, quoted lines by their depth, a signature after "--".
function mail(body) {
  const out = [];
  const lines = body.replace(/\r\n?/g, "\n").split("\n");
  let i = 0, signed = false;
  while (i < lines.length) {
    const depth = quoteDepth(lines[i]);
    let end = i;
    while (end < lines.length && quoteDepth(lines[end]) === depth && (depth > 0 || lines[end].trim() !== "")) end++;
    if (end === i) {
      i++; // an empty line between paragraphs
      continue;
    }
    const block = lines.slice(i, end);
    if (depth > 0) {
      out.push(quotation(block.map(unquoted).join("\n"), depth));
      signed = false;
    } else {
      signed ||= /^--\s*$/.test(block[0]);
      const header = end < lines.length && quoteDepth(lines[end]) > 0 ? block.pop() : null;
      if (block.length > 0) out.push(h(signed ? "p.signature" : "p", null, block.join("\n")));
      if (header !== null) out.push(h("p.attribution", null, header));
    }
    i = end;
  }
  return out;
}

// quoteDepth counts the ">" before a line.
const quoteDepth = (line) => (/^(?:> ?)+/.exec(line) || [""])[0].replace(/[^>]/g, "").length;
const unquoted = (line) => line.replace(/^(?:> ?)+/, "");

function quotation(text, depth) {
  let el = h("blockquote", null, text.split(/\n{2,}/).map((p) => h("p", null, p)));
  for (let d = 1; d < depth; d++) el = h("blockquote", null, el);
  return el;
}

// showTicket fills the ticket's article and the list of facts beside it.
function showTicket(track, ticket, where) {
  const subject = track === "queue" ? ticket.subject : ticket.issue_text.split("\n\n")[0];
  const body = track === "queue" ? ticket.description : ticket.issue_text.slice(subject.length).replace(/^\n+/, "");
  fill($("ticket"),
    h("header", null,
      h("p.eyebrow", null, where, h("span.id", null, ticket.ticket_id)),
      h("h2", {id: "subject", tabindex: "-1"}, subject || "(no subject)")),
    h("div.mail", null, mail(body)));
  fill($("facts"), h("h3", null, "What the desk knows"), h("dl", null, (track === "queue" ? queueFacts : deskFacts)(ticket)));
}

const fact = (name, ...value) => h("div", null, h("dt", null, name), h("dd", null, value));
const chip = (text, kind) => h(kind ? "span.chip." + kind : "span.chip", null, text);

const escalation = (is) => fact("Escalated", is ? chip("Yes", "warn") : chip("No"));
const wait = (hours) => fact("Waiting", chip(hours.toFixed(1) + " h"));

function queueFacts(ticket) {
  const m = ticket.metadata;
  return [
    fact("Tier", chip(words(m.customer_tier), "strong")),
    wait(m.wait_time_hours),
    escalation(m.is_escalated),
    fact("Earlier contacts", chip(m.previous_contacts)),
    fact("Customer chose", m.selected_category ? chip(words(m.selected_category)) : chip("Nothing", "faint")),
    fact("Channel", chip(words(m.channel))),
    fact("Language", chip(m.language)),
    fact("Attachments", chip(m.attachments)),
  ];
}

function deskFacts(ticket) {
  return [
    fact("Customer", chip(ticket.customer_name, "strong")),
    fact("Sentiment", chip(signed(ticket.sentiment_score, 2)), " ", h("span.word", null, moodOf(ticket.sentiment_score))),
    wait(ticket.wait_time_hours),
    escalation(ticket.is_escalated),
  ];
}

const moods = [[-0.8, "very unhappy"], [-0.4, "unhappy"], [-0.1, "rather unhappy"], [0.1, "neutral"], [0.4, "rather content"], [0.8, "content"]];

// moodOf puts a sentiment from −1 to 1 into words; a line of the handbook that begins at −0.8 is "very unhappy" there too.
function moodOf(sentiment) {
  const found = moods.find(([limit]) => sentiment <= limit);
  return found ? found[1] : "delighted";
}
