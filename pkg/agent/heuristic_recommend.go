package agent

import (
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// mostNouns is how many things a recommendation names.
const mostNouns = 4

// recommend writes what to do next: two words of the category's kind and what the primary request is about, taken from its
// own sentences only.
func (h *Heuristic) recommend(rd reading, c triage.Category) string {
	return recommendation(c, join(h.nouns(&rd)))
}

// recommendation is a sentence of the category's kind about some things.
func recommendation(c triage.Category, about string) string {
	switch c {
	case triage.Bug:
		return "Investigate and reproduce what goes wrong with the " + about + ", then tell the team what was found."
	case triage.FeatureRequest:
		return "Evaluate this wish and put it on the roadmap, as it concerns the " + about + " of this customer."
	}
	return "Guide the customer and explain what has to happen with the " + about + " here."
}

// nouns lists what the counted sentences name most.
func (h *Heuristic) nouns(rd *reading) []string {
	r := h.reader
	scores := map[string]float64{}
	var names []string
	for _, f := range r.found {
		s := &r.sentences[f.sentence]
		w := h.weight[f.sentence]
		if w == 0 || f.sentence < rd.subject && w < 1 {
			continue
		}
		name := written(r.lex.cues[f.cue].text)
		if _, ok := scores[name]; !ok {
			names = append(names, name)
		}
		scores[name] += float64(w * float64(r.lex.cues[f.cue].weight*h.telling(s)))
	}
	sort.SliceStable(names, func(i, j int) bool { return scores[names[i]] > scores[names[j]] })
	var picked []string
	for _, n := range names {
		if len(picked) < mostNouns && !covered(picked, n) {
			picked = append(picked, n)
		}
	}
	return picked
}

// join writes names as "a, b and c".
func join(names []string) string {
	switch len(names) {
	case 0:
		return "request"
	case 1:
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// telling weighs a sentence by how far it says what the mail is about: the statement stands at the top, the ask asks.
func (h *Heuristic) telling(s *sentence) float64 {
	w := 1.0
	if s.scores[h.lists.ask] >= certain {
		w = 1.5
	}
	if s.scores[h.lists.second] >= 3 {
		w *= 0.4
	}
	if s.aside {
		w *= 0.4
	}
	return w
}

// written is the form of a cue that is written out: the first of its alternatives, without marks.
func written(cue string) string {
	words := strings.Fields(cue)
	for i, w := range words {
		w, _, _ = strings.Cut(w, "|")
		words[i] = strings.TrimSuffix(w, "*")
	}
	return strings.Join(words, " ")
}

// covered tells whether a name stands in one that was picked already.
func covered(picked []string, name string) bool {
	for _, p := range picked {
		if p == name || strings.HasPrefix(p, name+" ") || strings.HasSuffix(p, " "+name) {
			return true
		}
	}
	return false
}
