package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/near"
)

// models asks for the list of models, and tells whether there is one.
func (d *doctor) models(ctx context.Context) ([]string, bool) {
	if d.o.Endpoint.APIVersion != "" { // Azure lists models, not the deployments that are called
		return nil, false
	}
	c, err := d.client(question{format: FormatText})
	if err != nil {
		return nil, false
	}
	sent := &wire.Call{}
	f := &flight{call: &call{c: c}}
	_, _ = c.api.ListModels(context.WithValue(wire.With(ctx, sent), flightKey{}, f)) // the answer is read below, more leniently
	c.settle(f, nil, &Error{unsent: true})
	if ctx.Err() != nil {
		d.err = context.Cause(ctx)
	}
	if sent.Exchange.Status != http.StatusOK {
		return nil, false
	}
	return modelNames(sent.Exchange.Body)
}

// modelNames reads a list of models: under data, under models, or alone; of objects with id or name.
func modelNames(body []byte) ([]string, bool) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	var top struct {
		Data, Models []json.RawMessage
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		if json.Unmarshal(body, &top) != nil || top.Data == nil && top.Models == nil {
			return nil, false
		}
		list = append(top.Data, top.Models...)
	}
	var out []string
	for _, raw := range list {
		var m struct{ ID, Name string }
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		if name := orDefault(m.ID, m.Name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, true
}

// named tells whether a model's name is the one that was asked for.
func (d *doctor) named(name string) bool { return sameModel(d.o.Endpoint.Model, name) }

// sameModel tells whether a name stands for the model that was asked for: it is the same but for case, a folder in front,
// or a version behind.
func sameModel(asked, name string) bool {
	asked, name = strings.ToLower(asked), strings.TrimPrefix(strings.ToLower(name), "models/")
	if name == asked || name == asked+":latest" || strings.HasSuffix(name, "/"+asked) || strings.HasSuffix(asked, "/"+name) {
		return true
	}
	rest, ok := strings.CutPrefix(name, asked)
	return ok && versionForm.MatchString(rest)
}

// listed looks for the model among those that the endpoint lists.
func (d *doctor) listed(ctx context.Context) {
	reply := d.replies[0]
	names, ok := d.models(ctx)
	model := d.o.Endpoint.Model
	switch {
	case ok && len(names) > 0 && !slices.ContainsFunc(names, d.named):
		d.note(checkModel, VerdictWarn, model+" answers, but is not among the "+counted(len(names), "model", "models")+" that the endpoint lists: another one may answer in its place",
			suggestion(model, names))
	case reply.Model != "" && !sameModel(model, reply.Model):
		d.note(checkModel, VerdictWarn, model+" was asked for, and replies say that they are of "+reply.Model, "see whether that is the model you mean: --model "+reply.Model)
	case ok && len(names) > 0:
		d.note(checkModel, VerdictOK, model+" answers, and is listed", "")
	default:
		d.note(checkModel, VerdictOK, model+" answers; the endpoint lists no models", "")
	}
}

// suggestion names the models that may have been meant.
func suggestion(asked string, names []string) string {
	const few = 3
	if len(names) == 0 {
		return "it lists no model: load one there"
	}
	if found := nearest(asked, names, few); len(found) > 0 {
		return "did you mean " + strings.Join(found, " or ") + "? Give it with --model"
	}
	shown := slices.Sorted(slices.Values(names))
	more := ""
	if len(shown) > 2*few {
		more = fmt.Sprintf(" and %d more", len(shown)-2*few)
		shown = shown[:2*few]
	}
	return "give one that it lists with --model: " + strings.Join(shown, ", ") + more
}

// nearest gives the names that are like the one that was asked for, the nearest first.
func nearest(asked string, names []string, most int) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	asked = strings.ToLower(asked)
	for _, n := range names {
		low := strings.TrimPrefix(strings.ToLower(n), "models/")
		far := near.Edits(asked, low)
		if len(low) > 2 && (strings.Contains(low, asked) || strings.Contains(asked, low)) {
			far = min(far, 2)
		}
		if far <= max(2, utf8.RuneCountInString(asked)/4) {
			all = append(all, candidate{n, far})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, c := range all[:min(most, len(all))] {
		out = append(out, c.name)
	}
	return out
}
