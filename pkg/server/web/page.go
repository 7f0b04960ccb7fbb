package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/onepage"
	"github.com/triagebench/triage/pkg/triage"
)

//go:embed page
var sources embed.FS

// styles and scripts list the sources in the order in which they are joined, the scripts after those of onepage.
var (
	styles  = []string{"base.css", "controls.css", "play.css", "pages.css"}
	scripts = []string{"format.js", "store.js", "api.js", "curl.js", "markdown.js", "ticket.js", "fields.js", "form.js", "result.js",
		"chart.js", "summary.js", "setup.js", "play.js", "show.js", "calls.js", "handbook.js", "keys.js", "main.js"}
)

// page is the response, with the headers that depend on its bytes.
type page struct {
	html, policy, etag string
}

// assemble joins the sources and the settings into one document.
func assemble(cfg Config) (page, error) {
	parts, err := onepage.Read(sources, styles, scripts)
	if err != nil {
		return page{}, err
	}
	markup, err := sources.ReadFile("page/index.html")
	if err != nil {
		return page{}, err
	}
	settings, err := json.Marshal(settingsOf(cfg)) // escapes <, > and &, so that it cannot end its element
	if err != nil {
		return page{}, err
	}
	html := string(markup)
	for _, part := range []struct{ mark, text string }{
		{"/* style */", parts.Style}, {"/* settings */", string(settings)}, {"/* script */", parts.Script},
	} {
		if strings.Count(html, part.mark) != 1 {
			return page{}, fmt.Errorf("page/index.html: the mark %q must stand there once", part.mark)
		}
		html = strings.Replace(html, part.mark, part.text, 1)
	}
	sum := sha256.Sum256([]byte(html))
	// Hugging Face may show the page in a frame, which is how a Space is seen.
	policy := parts.Policy("connect-src 'self'", "frame-ancestors 'self' https://huggingface.co")
	return page{html: html, policy: policy, etag: fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(sum[:18]))}, nil
}

// settings is what the script is told: the server's kind, the tasks and the words that a decision is made of.
type settings struct {
	Sealed     bool           `json:"sealed"`
	Tokens     bool           `json:"tokens"`
	Track      triage.Track   `json:"track"`
	Mode       string         `json:"mode"`
	BasePath   string         `json:"base_path"`
	Tasks      []task         `json:"tasks"`
	Splits     []triage.Split `json:"splits"`
	Words      map[string]any `json:"words"`
	TextLength int            `json:"text_length"`
}

type task struct {
	Name       string            `json:"name"`
	Track      triage.Track      `json:"track"`
	Difficulty triage.Difficulty `json:"difficulty"`
	Tickets    int               `json:"tickets"`
	Steps      int               `json:"steps"`
	Target     float64           `json:"target"`
	Asked      []string          `json:"asked"`
}

func settingsOf(cfg Config) settings {
	s := settings{Sealed: cfg.Sealed, Tokens: cfg.Tokens, Track: cfg.DefaultTrack, Mode: cfg.Mode, BasePath: strings.TrimRight(cfg.BasePath, "/"),
		Splits: triage.Splits(), TextLength: triage.MaxRecommendation}
	if s.Track == "" {
		s.Track = triage.Queue
	}
	queue := []string{triage.FieldRoute, triage.FieldUrgency, triage.FieldDifficulty, triage.FieldPriorityScore}
	for _, t := range triage.Tasks() {
		asked := t.Asked
		if t.Track == triage.Queue {
			asked = queue
		}
		s.Tasks = append(s.Tasks, task{t.Name, t.Track, t.Difficulty, t.Tickets, t.MaxSteps, t.Target, asked})
	}
	s.Words = map[string]any{
		triage.FieldRoute: triage.Routes(), triage.FieldUrgency: triage.Urgencies(), triage.FieldDifficulty: triage.Resolutions(),
		triage.FieldCategory: triage.Categories(), triage.FieldPriority: triage.Priorities(), triage.FieldDepartment: triage.Departments(),
		triage.FieldUrgencyDays: []int{1, 2, 3, 4, 5, 6, 7},
	}
	return s
}
