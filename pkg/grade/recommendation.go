package grade

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
// stand in the ticket or the handbook, if it has no verb that tells somebody to do something, if it is a list of words, or
// if it holds two words of each of the other categories.
func Recommendation(truth *triage.DeskTruth, text string) triage.Part {
	p := triage.Part{Name: PartRecommendation, Why: triage.Why{Code: triage.WhyText}}
	words := tokenize(text)
	if len(words) == 0 {
		p.Why.Want = "no recommendation"
		return p
	}
	kindsFound := findKinds(words, truth.Category)
	entitiesFound, distractor := findEntities(words, truth)
	kinds, entities := len(kindsFound), len(entitiesFound)
	p.Why.Got = "kind words: " + strings.Join(kindsFound, ", ") + "; entities: " + strings.Join(entitiesFound, ", ")
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
		if c != truth.Category && len(findKinds(words, c)) < enough {
			stuffed = false
		}
	}
	if stuffed {
		return "holds the vocabulary of every category"
	}
	if listed(words) {
		return "a list of words"
	}
	if copied(words, truth.Text) {
		return "mostly copied from the ticket or the handbook"
	}
	return ""
}

// A text is a list if it has that many items of at most so many words between commas and the like.
const listItems, itemWords = 5, 2

func listed(words []word) bool {
	items := 0
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && !words[end].clause {
			end++
		}
		if end-i <= itemWords {
			items++
		}
		i = end
	}
	return items >= listItems
}

// word is one word of a text in lower case; clause says that it begins a sentence or a clause.
type word struct {
	text   string
	clause bool
}

// clauseMarks end a clause: what follows may begin with a verb that tells somebody to do something.
const clauseMarks = ".,;:!?\n()[]–—…*•。，、；：！？"

// tokenize splits a text into words of letters and digits of any alphabet; "-", "_" and "/" separate, apostrophes and
// invisible characters are dropped.
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
	runes := []rune(strings.ToLower(text))
	for i, r := range runes {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			b.WriteRune(r)
		case r == '\'' || r == '’' || unicode.Is(unicode.Cf, r):
		default:
			flush()
			inNumber := i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]) // 10.0.0.1, 14:30
			if strings.ContainsRune(clauseMarks, r) && !inNumber {
				clause = true
			}
		}
	}
	flush()
	return out
}

// stem folds plurals and endings of verbs, so that "invoices" and "invoicing" meet "invoice", and "settings" "setting".
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") {
		w = w[:len(w)-1]
	}
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = w[:len(w)-3]
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = w[:len(w)-2]
		if base, ok := strings.CutSuffix(w, "i"); ok {
			w = base + "y" // "applied" to "apply"
		}
	case len(w) > 3 && strings.HasSuffix(w, "ie"):
		w = w[:len(w)-2] + "y" // "policies" to "policy", "cookies" and "cookie" to the same
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] < utf8.RuneSelf {
		w = w[:n-1] // "planned" to "plan", "cancelled" to "cancel"
	}
	return w
}

// findKinds gives the kind words of a category that a text holds.
func findKinds(words []word, c triage.Category) []string {
	var out []string
	for _, k := range handbook.KindWords(c) {
		if slices.ContainsFunc(words, func(w word) bool { return k.Matches(w.text) }) {
			out = append(out, k.Word)
		}
	}
	return out
}

// findEntities gives a name of each group of entities that is named, and the first distractor that is named. A distractor
// that stands wholly inside the name of an entity does not count.
func findEntities(words []word, truth *triage.DeskTruth) (names []string, distractor string) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w.text)
	}
	entity := make([]bool, len(stems)) // the words that name entities
	for _, group := range truth.Entities {
		found := ""
		for _, term := range group {
			for at, size := range eachName(stems, term) {
				if found == "" {
					found = term
				}
				for i := at; i < at+size; i++ {
					entity[i] = true
				}
			}
		}
		if found != "" {
			names = append(names, found)
		}
	}
	for _, d := range truth.Distractors {
		for at, size := range eachName(stems, d) {
			if slices.Contains(entity[at:at+size], false) {
				return names, d
			}
		}
	}
	return names, ""
}

// eachName gives where the words of term stand side by side in a text of stems, and how many they are.
func eachName(stems []string, term string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		want := tokenize(term)
		for i := range want {
			want[i].text = stem(want[i].text)
		}
		if len(want) == 0 {
			return
		}
		for i := 0; i+len(want) <= len(stems); i++ {
			found := true
			for j, w := range want {
				if stems[i+j] != w.text {
					found = false
					break
				}
			}
			if found && !yield(i, len(want)) {
				return
			}
		}
	}
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
