package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/tmpl"
	"github.com/triagebench/triage/pkg/triage"
)

// The two parts of a prompt's template.
const (
	partSystem = "system"
	partUser   = "user"
)

// Prompt is how a model is asked: a template for each track. It does not change and is safe for several goroutines. Make one
// with [BuiltinPrompt] or [ParsePrompt].
type Prompt struct {
	tracks map[triage.Track]template
	source string // of all templates, for the hash
}

// template is a file with its name.
type template struct {
	*tmpl.Template
	name string
}

// promptData are the variables of a template. docs/prompts.md tells what each holds; a test holds the two together.
type promptData struct {
	Task       string
	Track      triage.Track
	Difficulty triage.Difficulty
	Handbook   string
	Schema     string
	Fields     []shownField
	Examples   int
	Record     string
	Ticket     string
	Fence      string
	Message    string
}

// shownField is a field as templates see it.
type shownField struct {
	promptField
	Words string // what is allowed
}

// BuiltinPrompt gives the prompt that the program comes with: baselines/llm.
func BuiltinPrompt() (*Prompt, error) {
	p := &Prompt{tracks: map[triage.Track]template{}}
	for _, track := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
		name := string(track) + ".tmpl"
		text, err := fs.ReadFile(baselines.Files, "llm/"+name)
		if err != nil {
			return nil, fmt.Errorf("llm: %w", err)
		}
		t, err := parseTemplate(name, string(text))
		if err != nil {
			return nil, err
		}
		p.tracks[track] = t
		p.source += string(text)
	}
	return p, p.probe()
}

// ParsePrompt reads a prompt of one's own, one template for all tracks; name, which errors show, is its file's. The text is a
// template in the language of pkg/tmpl that defines "user" and, if the model is to have a system message, "system";
// docs/prompts.md lists the language and the variables. It is checked as a whole and tried on a made-up ticket of each track: the
// user part must show .Ticket and the system part must not. An error has CodeUsage and names file and line where the template is
// at fault.
func ParsePrompt(name, text string) (*Prompt, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, promptError(name, errors.New("it is no text in UTF-8: save it as such"))
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n") // the same prompt wherever it was checked out
	t, err := parseTemplate(name, text)
	if err != nil {
		return nil, err
	}
	p := &Prompt{source: text, tracks: map[triage.Track]template{triage.Queue: t, triage.Desk: t, triage.Dataset: t}}
	return p, p.probe()
}

func parseTemplate(name, text string) (template, error) {
	t, err := tmpl.Parse(name, text, tmpl.Options{Example: promptData{}})
	if err != nil {
		return template{}, promptError(name, err)
	}
	if err := checkParts(t); err != nil {
		return template{}, promptError(name, err)
	}
	for _, part := range []string{partSystem, partUser} {
		if !t.Defines(part) {
			continue
		}
		if err := t.Check(part, &promptData{}); err != nil {
			return template{}, promptError(name, err)
		}
	}
	return template{t, name}, nil
}

// checkParts refuses a template that defines no user part, or a part that nothing prints and whose name is nearly that of one.
func checkParts(t *tmpl.Template) error {
	known := []string{partSystem, partUser}
	for _, part := range t.Parts() {
		if meant := near.Word(part, known); meant != "" && !t.Defines(meant) && !t.Calls(part) {
			return fmt.Errorf("it defines %q; did you mean %q?", part, meant)
		}
	}
	if t.Defines(partUser) {
		return nil
	}
	others, between := "", ", only "
	for _, part := range t.Parts() {
		others += between + fmt.Sprintf("%.100q", part)
		between = ", "
	}
	return errors.New(`it does not define "user"` + others + `: {{define "user"}}…{{.Ticket}}…{{end}}`)
}

// promptError says which template is wrong; those of pkg/tmpl name file and line themselves.
func promptError(name string, err error) error {
	text := err.Error()
	if !strings.HasPrefix(text, name+":") {
		text = name + ": " + text
	}
	return &triage.Error{Code: triage.CodeUsage, Message: "read prompt " + text}
}

// render gives the two parts of the prompt; system is empty where there is none. The ticket must stand in the user part alone.
func (p *Prompt) render(d *promptData) (system, user string, err error) {
	if system, user, err = p.parts(d); err != nil {
		return "", "", err
	}
	name := p.tracks[d.Track].name
	if !strings.Contains(user, d.Ticket) {
		return "", "", promptError(name, fmt.Errorf("its user part does not show .Ticket for the task %s", d.Task))
	}
	if strings.Contains(system, d.Ticket) {
		return "", "", promptError(name, fmt.Errorf("its system part shows .Ticket for the task %s: what customers write belongs in the user part", d.Task))
	}
	return system, user, nil
}

// parts gives the two parts of the prompt, whatever they show.
func (p *Prompt) parts(d *promptData) (system, user string, err error) {
	t := p.tracks[d.Track]
	if t.Defines(partSystem) {
		if system, err = execute(t, partSystem, d); err != nil {
			return "", "", err
		}
	}
	if user, err = execute(t, partUser, d); err != nil {
		return "", "", err
	}
	return system, user, nil
}

func execute(t template, part string, d *promptData) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, part, d); err != nil {
		return "", promptError(t.name, err)
	}
	return strings.Trim(b.String(), "\n"), nil
}

// handbookFor is the part of the handbook that a track's answers need. The queue needs nothing of the desk's chapter; the desk
// needs the queue's, since that says which of two requests counts. Imported tickets have labels of their own, so the built-in
// prompt does not show them the handbook, but a template may.
func handbookFor(track triage.Track) string {
	text := handbook.Text()
	if track == triage.Queue {
		text, _, _ = strings.Cut(text, "\n## 4. ")
	}
	return strings.TrimSpace(text)
}

// kit is what prompts of one task share.
type kit struct {
	task     string
	track    triage.Track
	level    triage.Difficulty
	fields   []promptField
	handbook string
}

// taskOf names the task of an observation.
func taskOf(o triage.Observation) (string, error) {
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		return o.Queue.Task, nil
	case o.Desk != nil:
		return string(triage.Desk) + "-" + string(o.Desk.TaskDifficulty), nil
	case o.Dataset != nil:
		return string(triage.Dataset), nil
	}
	return "", &triage.Error{Code: triage.CodeUsage, Message: "the observation shows no ticket"}
}

func kitOf(o triage.Observation, withHandbook bool) (*kit, error) {
	name, err := taskOf(o)
	if err != nil {
		return nil, err
	}
	k := &kit{task: name, track: triage.Dataset}
	if o.Dataset != nil {
		k.fields, err = asked(name, o.Dataset.Labels)
	} else {
		var t triage.Task
		if t, err = triage.TaskByName(name); err == nil {
			k.track, k.level = t.Track, t.Difficulty
			k.fields, err = asked(name, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	if withHandbook {
		k.handbook = handbookFor(k.track)
	}
	return k, nil
}

// data are the template's variables for an observation.
func (k *kit) data(o triage.Observation, examples int) *promptData {
	s := shownTo(o)
	d := &promptData{Task: k.task, Track: k.track, Difficulty: k.level, Handbook: k.handbook, Schema: string(schemaOf(k.fields)),
		Fields: make([]shownField, len(k.fields)), Examples: examples, Record: s.record, Ticket: fenced(s.text), Fence: fenceID(s.text)}
	for i, f := range k.fields {
		d.Fields[i] = shownField{f, f.Words()}
	}
	if o.Desk != nil && o.Desk.StepCount > 0 {
		d.Message = oneLine(o.Desk.Message)
	}
	return d
}
