package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/server"
)

// destination is where texts of tickets will go.
type destination struct {
	agent, model, address string
	near                  bool // it is this machine
}

// String words it.
func (d destination) String() string {
	out := d.address
	if d.model != "" {
		out += " (model " + d.model + ")"
	}
	if d.near {
		out += ", on this machine"
	}
	return plainLine(out)
}

// destinations are the addresses that the agents of a run send tickets to, each once, in the order of the agents. A run that replays a
// cassette sends none to models. Programs run on this machine; where they send what they get, nobody knows.
func (o *playOptions) destinations() []destination {
	var out []destination
	for _, m := range o.cast.members {
		d := destination{agent: m.name}
		switch {
		case m.model != nil && o.model.Replay == "":
			d.model, d.address = m.settings["model"], m.settings["base_url"]
		case m.model == nil && m.crashes != nil && !strings.HasPrefix(m.name, prefixExec):
			d.address = m.name
		default:
			continue
		}
		if u, err := url.Parse(d.address); err == nil {
			d.near = server.IsLoopback(u.Hostname())
		}
		if !slices.ContainsFunc(out, func(x destination) bool { return x.model == d.model && x.address == d.address }) {
			out = append(out, d)
		}
	}
	return out
}

// mostHead is how much of a file is looked at for what import says of it.
const mostHead = 64 << 10

// redaction says what is known of whether the texts of the tickets' file are redacted.
func (m *imported) redaction() string {
	head := make([]byte, mostHead)
	n, err := m.file.ReadAt(head, 0) // the place where it is read on does not move
	if err != nil && n == 0 {
		return unknownRedaction
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(string(head[:n]), "\ufeff"), "\n")
	var header struct {
		Schema   string `json:"schema"`
		Redacted bool   `json:"redacted"`
	}
	if json.Unmarshal([]byte(line), &header) != nil || !strings.HasPrefix(header.Schema, "triage.tickets/") {
		return unknownRedaction
	}
	if header.Redacted {
		return "its texts are redacted (triage import --redact)"
	}
	return "its texts are NOT redacted (triage import --redact would replace names, addresses, numbers and keys)"
}

const unknownRedaction = "its texts are as you wrote them: they were not redacted by triage import"

// consent tells where the texts of imported tickets will go, and asks where that is another machine. The error says that nothing was
// sent, and what to do.
func (p *play) consent(ctx context.Context) error {
	o := p.options
	if p.imported == nil {
		return nil
	}
	list := o.destinations()
	if len(list) == 0 {
		return nil
	}
	far := slices.ContainsFunc(list, func(d destination) bool { return !d.near })
	tell := func(format string, args ...any) {
		_, _ = fmt.Fprintf(o.app.Err, format, args...) // a lost line is no reason to go on otherwise
	}
	tell("The texts of %s of %s will be sent; %s.\n", counted(p.imported.rows, "ticket"), plainLine(filepath.Base(o.Tickets)), p.imported.redaction())
	for _, d := range list {
		tell("  to %s\n", d)
	}
	if !far || o.Yes {
		return nil
	}
	if !o.app.InTerminal {
		return usageError("nothing was sent: sending tickets to another machine needs a yes, and there is no terminal to ask on; " +
			"add --yes if they may go there, or see with --dry-run what would be sent")
	}
	tell("Send them? [y/N] ")
	answer, err := askLine(ctx, o.app.In)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return usageError("nothing was sent: the answer was not yes; --yes says it beforehand")
	}
	return nil
}

// askLine reads one line, at most 1,000 bytes of it, and nothing behind it: what follows may be for others. It gives up waiting when ctx
// is done.
func askLine(ctx context.Context, in io.Reader) (string, error) {
	const most = 1000
	got := make(chan string, 1)
	go func() {
		var line []byte
		one := make([]byte, 1)
		for len(line) < most {
			if _, err := io.ReadFull(in, one); err != nil || one[0] == '\n' { // the end of input ends an answer too
				break
			}
			line = append(line, one[0])
		}
		got <- string(line)
	}()
	select {
	case line := <-got:
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
