package audit

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/triage"
)

// The mixing constants of FNV-1a and of a multiplicative hash.
const (
	fnvOffset, fnvPrime = 14695981039346656037, 1099511628211
	golden              = 0x9e3779b97f4a7c15
)

// wordHashes appends a hash of each word of a text: letters and digits in lower case, apostrophes dropped. Articles are
// left out, because some writers drop them.
func wordHashes(buf []uint64, text string) []uint64 {
	h, length := uint64(fnvOffset), 0
	flush := func() {
		if length > 0 && h != hashThe && h != hashA && h != hashAn {
			buf = append(buf, h)
		}
		h, length = fnvOffset, 0
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
		case c == '\'':
			continue
		default:
			flush()
			continue
		}
		h = (h ^ uint64(c)) * fnvPrime
		length++
	}
	flush()
	return buf
}

var hashThe, hashA, hashAn = wordHash("the"), wordHash("a"), wordHash("an")

func wordHash(word string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * fnvPrime
	}
	return h
}

// grams appends a hash of each run of n words; shorter texts have none.
func grams(buf, words []uint64, n int) []uint64 {
	for i := 0; i+n <= len(words); i++ {
		h := uint64(fnvOffset)
		for _, w := range words[i : i+n] {
			h = (h ^ w) * golden
			h ^= h >> 29
		}
		buf = append(buf, h)
	}
	return buf
}

// postings finds the documents that hold a gram.
type postings struct{ list []posting }

type posting struct {
	gram uint64
	doc  int32
}

func (p *postings) add(doc int, grams []uint64) {
	for _, g := range grams {
		p.list = append(p.list, posting{g, int32(doc)})
	}
}

// seal sorts the postings and drops repetitions; it must be called before of.
func (p *postings) seal() {
	slices.SortFunc(p.list, func(a, b posting) int {
		switch {
		case a.gram != b.gram && a.gram < b.gram:
			return -1
		case a.gram != b.gram:
			return 1
		}
		return int(a.doc - b.doc)
	})
	p.list = slices.Compact(p.list)
}

// of gives the postings of a gram, by document.
func (p *postings) of(gram uint64) []posting {
	from := sort.Search(len(p.list), func(i int) bool { return p.list[i].gram >= gram })
	to := from
	for to < len(p.list) && p.list[to].gram == gram {
		to++
	}
	return p.list[from:to]
}

// words splits a text into its different words of at least four bytes, in lower case, in their order.
func words(text string) []string {
	seen := map[string]bool{}
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= 4 && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// frequencies counts in how many tickets each word stands.
func frequencies(cases []triage.Case) map[string]int {
	out := map[string]int{}
	for i := range cases {
		for _, w := range words(textOfCase(&cases[i])) {
			out[w]++
		}
	}
	return out
}

// rarest gives up to n words of a text, those that the fewest tickets hold, rarest first.
func rarest(text string, counts map[string]int, n int) []string {
	out := words(text)
	sort.SliceStable(out, func(i, j int) bool { return counts[out[i]] < counts[out[j]] })
	return out[:min(n, len(out))]
}
