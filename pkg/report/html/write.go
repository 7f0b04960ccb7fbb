package html

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/triagebench/triage/pkg/onepage"
	"github.com/triagebench/triage/pkg/tmpl"
	"github.com/triagebench/triage/pkg/triage"
)

//go:embed page
var sources embed.FS

// styles and scripts list the sources in the order in which they are joined, the scripts after those of onepage.
var (
	styles  = []string{"base.css", "report.css", "list.css"}
	scripts = []string{"format.js", "data.js", "detail.js", "list.js", "live.js", "main.js"}
)

// document is what the templates print.
type document struct {
	Title    string
	Home     string
	Policy   string
	Style    tmpl.Code
	Script   tmpl.Code
	Settings tmpl.Code
	Live     *Live
	Runs     *table
	Notes    []string
	Short    []summaryLine
	Sections []section
	Tickets  int
}

// settings is what the script is told.
type settings struct {
	Tallies []tallyName `json:"tallies"` // by number
	Traps   []string    `json:"traps"`
	Total   int         `json:"total"`
	Plain   int         `json:"plain"` // rows that stand uncompressed too
	Live    *Live       `json:"live"`
}

type tallyName struct {
	Agent string `json:"agent"` // with its run, where two runs have one of the name
	Run   string `json:"run"`
	Task  string `json:"task"`
	Track string `json:"track"`
}

// Policy is the page's Content-Security-Policy, as its meta element has it: its own style and script by their hashes, nothing from
// elsewhere, and no way to make markup out of text. A live page may ask its own server. Who serves the page sends it as a header
// too, with what only a header can hold (frame-ancestors).
func (p *Page) Policy() (string, error) {
	s, err := onepage.Read(sources, styles, scripts)
	if err != nil {
		return "", err
	}
	return p.policy(s), nil
}

func (p *Page) policy(s onepage.Sources) string {
	if p.options.Live != nil {
		return s.Policy("connect-src 'self'")
	}
	return s.Policy()
}

// Write writes the page. It can be called again and again, and gives the same bytes. An error is that of w, with CodeFiles.
func (p *Page) Write(w io.Writer) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	t, err := tmpl.ParseFS(sources, tmpl.Options{HTML: true}, "page/page.tmpl", "page/parts.tmpl")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	err = t.Execute(out, "", d)
	if err == nil {
		err = p.writeTickets(out)
	}
	if err == nil {
		_, err = out.WriteString("</body>\n</html>\n")
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "write the page", Err: err}
	}
	return nil
}

func (p *Page) document() (*document, error) {
	page, err := onepage.Read(sources, styles, scripts)
	if err != nil {
		return nil, err
	}
	s := settings{Traps: p.traps.list, Total: p.tickets.total, Plain: p.tickets.plainN, Live: p.options.Live}
	s.Tallies = make([]tallyName, len(p.tallies))
	for _, t := range p.tallies {
		s.Tallies[t.number] = tallyName{Agent: t.name, Run: p.runs[t.run].name, Task: t.task.Name, Track: string(t.task.Track)}
	}
	data, err := json.Marshal(&s) // escapes <, > and &, so that it cannot end its element
	if err != nil {
		return nil, err
	}
	title := p.options.Title
	if title == "" {
		title = "Triage report"
	}
	return &document{Title: clean(title), Home: p.options.Home, Policy: p.policy(page), Style: tmpl.Code(page.Style), Script: tmpl.Code(page.Script), Settings: tmpl.Code(data),
		Live: p.options.Live, Runs: p.runsTable(), Notes: p.notes, Short: p.inShort(), Sections: p.sections(), Tickets: p.tickets.total}, nil
}

// writeTickets writes the list's data as elements that browsers do not read: the first rows as JSON, the index and the chunks
// as base64.
func (p *Page) writeTickets(w *bufio.Writer) error {
	t := p.tickets
	if t.total == 0 {
		return nil
	}
	var plain bytes.Buffer
	json.HTMLEscape(&plain, bytes.ToValidUTF8(t.plain, []byte("\uFFFD")))
	if _, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"plain\">%s</script>\n", plain.Bytes()); err != nil {
		return err
	}
	head, err := json.Marshal(t.index.head(t.plainN)) // escapes what HTML would read
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"plain-index\">%s</script>\n", head); err != nil {
		return err
	}
	if err := writePacked(w, "index", t.packed); err != nil {
		return err
	}
	for i, c := range t.chunks {
		if err := writePacked(w, fmt.Sprintf("chunk-%d", i), c); err != nil {
			return err
		}
	}
	return nil
}

func writePacked(w *bufio.Writer, id string, data []byte) error {
	if _, err := fmt.Fprintf(w, "<script type=\"text/plain\" id=%q>", id); err != nil {
		return err
	}
	e := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := e.Write(data); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, err := w.WriteString("</script>\n")
	return err
}
