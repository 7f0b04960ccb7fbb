package grade

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// The shares of a recommendation's part, and what caps it.
const (
	shareKind, shareSpecific, shareForm = 0.3, 0.5, 0.2
	enough                              = 2   // distinct kind words, distinct entities; half of each for one
	capped                              = 0.2 // most that copied, listed or stuffed texts earn
	minWords, maxWords                  = 6, 80
	gramLength                          = 4
)

// Recommendation grades a recommendation for a desk ticket, 0..1: kind 0.3 (two words of the true category's
// vocabulary), specific 0.5 (two entities of the primary request, and none of what is only mentioned), form 0.2 (6 to 80
// words that tell someone to do something). It earns at most 0.2 in all if more than half of its runs of four words
// stand in the ticket or the handbook, if it has no verb that tells somebody to do something, or if it holds two words of
// each of the other categories.
func Recommendation(truth *triage.DeskTruth, text string) triage.Part {
	p := triage.Part{Name: PartRecommendation, Why: triage.Why{Code: triage.WhyText}}
	words := tokenize(text)
	if len(words) == 0 {
		p.Why.Want = "no recommendation"
		return p
	}
	kinds := countKinds(words, truth.Category)
	entities, distractor := countEntities(words, truth)
	verb := tellsToAct(words)
	p.Value = float64(shareKind*half(kinds)) + float64(shareForm*oneIf(verb && len(words) >= minWords && len(words) <= maxWords))
	if distractor == "" {
		p.Value += float64(shareSpecific * half(entities))
	}
	if p.Value > 1-1e-9 {
		p.Value = 1
	}
	why := fmt.Sprintf("%d of %d kind words, %d of %d entities", min(kinds, enough), enough, min(entities, enough), enough)
	if distractor != "" {
		why += fmt.Sprintf("; names %q, which is not what the ticket is about", distractor)
	}
	switch reason := capReason(truth, words, verb); {
	case reason != "":
		p.Value = min(p.Value, capped)
		why += "; " + reason
	case len(words) < minWords || len(words) > maxWords:
		why += fmt.Sprintf("; %d words, asked for are %d to %d", len(words), minWords, maxWords)
	}
	p.Why.Want = why
	return p
}

func half(n int) float64 { return float64(min(n, enough)) / enough }

func oneIf(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// capReason says why a recommendation earns at most 0.2, or nothing.
func capReason(truth *triage.DeskTruth, words []word, verb bool) string {
	if !verb {
		return "tells nobody to do something"
	}
	stuffed := true
	for _, c := range triage.Categories() {
		if c != truth.Category && countKinds(words, c) < enough {
			stuffed = false
		}
	}
	if stuffed {
		return "holds the vocabulary of every category"
	}
	if copied(words, truth.Text) {
		return "mostly copied from the ticket or the handbook"
	}
	return ""
}

// word is one word of a text in lower case; clause says that it begins a sentence or a clause.
type word struct {
	text   string
	clause bool
}

// tokenize splits a text into words of letters and digits; "-", "_" and "/" separate, apostrophes are dropped.
func tokenize(text string) []word {
	out := make([]word, 0, len(text)/6+1)
	clause := true
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, word{text: b.String(), clause: clause})
			clause = false
			b.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f && r != '’' && r != '…' && r != '–' && r != '—':
			b.WriteRune(r)
		case r == '\'' || r == '’':
		default:
			flush()
			if strings.ContainsRune(".,;:!?\n()[]–—…*•", r) {
				clause = true
			}
		}
	}
	flush()
	return out
}

// stem folds plural and verb endings, so that "invoices" and "invoicing" meet "invoice".
func stem(w string) string {
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = w[:len(w)-3]
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		w = w[:len(w)-1]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' {
		w = w[:n-1] // "planned" and "planning" to "plan"
	}
	return w
}

func countKinds(words []word, c triage.Category) int {
	n := 0
	for _, k := range handbook.KindWords(c) {
		if slices.ContainsFunc(words, func(w word) bool { return k.Matches(w.text) }) {
			n++
		}
	}
	return n
}

// countEntities counts the groups of entities that are named and gives the first distractor that is named. A term that
// belongs to an entity as well is no distractor.
func countEntities(words []word, truth *triage.DeskTruth) (n int, distractor string) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w.text)
	}
	for _, group := range truth.Entities {
		for _, term := range group {
			if names(stems, term) {
				n++
				break
			}
		}
	}
	for _, d := range truth.Distractors {
		if names(stems, d) {
			return n, d
		}
	}
	return n, ""
}

// names tells whether the words of term stand side by side in a text of stems.
func names(stems []string, term string) bool {
	want := tokenize(term)
	if len(want) == 0 {
		return false
	}
	for i := 0; i+len(want) <= len(stems); i++ {
		found := true
		for j, w := range want {
			if stems[i+j] != stem(w.text) {
				found = false
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

// before are words after which a base form tells somebody to do something.
var before = map[string]bool{"and": true, "then": true, "to": true, "please": true, "should": true, "must": true, "or": true,
	"kindly": true, "first": true, "next": true, "also": true, "immediately": true, "urgently": true, "can": true, "will": true,
	"shall": true, "promptly": true, "quickly": true, "personally": true, "directly": true, "team": true, "need": true}

var verbSet = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, v := range handbook.Verbs() {
		out[v] = true
	}
	return out
})

// tellsToAct finds a base form at the start of a clause or after a word that calls for one, followed by something.
func tellsToAct(words []word) bool {
	verbs := verbSet()
	for i, w := range words {
		if !verbs[w.text] || i+1 == len(words) || words[i+1].clause {
			continue
		}
		if w.clause || i > 0 && before[words[i-1].text] {
			return true
		}
	}
	return false
}

// copied tells whether more than half of the text's runs of four words stand in the ticket or in the handbook.
func copied(words []word, ticket string) bool {
	total := len(words) - gramLength + 1
	if total < 1 {
		return false
	}
	known := handbookGrams()
	seen := grams(tokenize(ticket))
	n := 0
	for i := range total {
		h := hash(words[i : i+gramLength])
		if seen[h] || known[h] {
			n++
		}
	}
	return 2*n > total
}

// handbookGrams are the handbook's runs of four words, without those of its sample recommendations.
var handbookGrams = sync.OnceValue(func() map[uint64]bool {
	text := handbook.Text()
	for _, e := range handbook.Examples() {
		text = strings.ReplaceAll(text, e, ". . .")
	}
	return grams(tokenize(text))
})

func grams(words []word) map[uint64]bool {
	out := make(map[uint64]bool, len(words))
	for i := 0; i+gramLength <= len(words); i++ {
		out[hash(words[i:i+gramLength])] = true
	}
	return out
}

// hash is FNV-1a over the words with a separator.
func hash(words []word) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range words {
		for i := range len(w.text) {
			h = (h ^ uint64(w.text[i])) * 1099511628211
		}
		h = (h ^ 0x20) * 1099511628211
	}
	return h
}
