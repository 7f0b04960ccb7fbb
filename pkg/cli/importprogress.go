package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// importProgress tells how far an import is: bytes of bytes, tickets, and tickets a second.
type importProgress struct {
	*progress
	copying bool
}

func newImportProgress(app *App, mode string) *importProgress {
	return &importProgress{progress: newProgress(app, mode, "import", 0)}
}

// writing says that all is read, and that the file is written now.
func (p *importProgress) writing() { p.copying = true }

// tell is called every few records.
func (p *importProgress) tell(read, size int64, tickets int) {
	if p.mode == "off" {
		return
	}
	elapsed, due := p.due()
	if !due {
		return
	}
	rate := float64(tickets) / max(elapsed.Seconds(), 1e-3)
	switch p.mode {
	case "bar":
		p.bar(read, size, tickets, rate)
	case "json":
		line, err := json.Marshal(map[string]any{"what": p.what, "read": read, "size": size, "tickets": tickets, "elapsed_seconds": elapsed.Seconds(), "writing": p.copying})
		if err == nil {
			p.say("%s\n", line)
		}
	default:
		p.say("%s\n", p.words(read, size, tickets, rate))
	}
}

// words say how far it is.
func (p *importProgress) words(read, size int64, tickets int, rate float64) string {
	if p.copying {
		return fmt.Sprintf("import: writing %s", counted(tickets, "ticket"))
	}
	of := ""
	if size > 0 {
		of = " of " + megabytes(size)
	}
	return fmt.Sprintf("import: %s%s read, %s, %.0f a second", megabytes(read), of, counted(tickets, "ticket"), rate)
}

func (p *importProgress) bar(read, size int64, tickets int, rate float64) {
	line := p.words(read, size, tickets, rate)
	if size > 0 {
		full := min(barWidth, int(float64(barWidth)*float64(read)/float64(size)))
		line = fmt.Sprintf("%s%s %s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), line)
	}
	n := utf8.RuneCountInString(line)
	p.say("\r%s%s", line, strings.Repeat(" ", max(0, p.drawn-n))) // a shorter line covers the longer one
	p.drawn = n
}

// megabytes writes a number of bytes for people.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
