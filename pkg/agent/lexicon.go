package agent

import (
	"sort"
	"sync"
)

// lexicon holds cues: words and runs of words that count for a list, such as "no workaround" for "workaround.no". It is
// compiled from JSON once and read by any number of agents. All cues are found in one walk over the words of a text.
type lexicon struct {
	lists    []string // sorted
	cues     []cue
	vocab    map[string]int32    // the number of a known word
	spans    []span              // by known word: its symbols
	symbols  []uint16            // of all known words
	prefixes map[string][]prefix // by their first letters
	root     []int32             // by symbol: its first edge from the root, or none
	nodes    []node
	edges    []edge
	ends     []end
	digits   uint16 // the symbol of a number
	num      uint16 // the symbol of class "num", which numbers have as well; 0 if there is no such class
	name     uint16 // the symbol of a person's name
	gapsOnce sync.Once
	gaps     map[uint64]int32 // long words by the hashes of what is left without one letter; made when first needed
}

// cue is what a match counts for.
type cue struct {
	list   int
	weight float64
	text   string
}

// span is a part of lexicon.symbols.
type span struct{ from, to int32 }

// node is a place in the net of cues. Its ends are a chain, and so are its edges until the net is finished; then they lie
// side by side, sorted by symbol, from edges to last.
type node struct {
	edges int32
	last  int32
	ends  int32
	gap   int32 // the node after a gap of up to maxGap words, or none
	any   int32 // the node after any one word, or none
}

// edge leads on with a word that has the symbol.
type edge struct {
	symbol     uint16
	node, next int32
}

// end says that a cue ends at a node.
type end struct{ cue, next int32 }

// prefix is a beginning of words with the symbols that all such words have.
type prefix struct {
	text    string
	symbols []uint16
}

const (
	none      = -1
	maxGap    = 6 // words that "..." may stand for
	prefixKey = 3 // letters by which beginnings are found; shorter ones are refused
)

// begin adds the symbols of the beginnings that a word has.
func (l *lexicon) begin(w []byte, symbols []uint16) []uint16 {
	if len(w) < prefixKey {
		return symbols
	}
	list := l.prefixes[string(w[:prefixKey])]
	for i := range list {
		if n := len(list[i].text); len(w) >= n && string(w[:n]) == list[i].text {
			symbols = append(symbols, list[i].symbols...)
		}
	}
	return symbols
}

// list gives the number of a list that the lexicon has.
func (l *lexicon) list(name string) int { return sort.SearchStrings(l.lists, name) }

// weightOf gives the weight of a cue of a list, or 0.
func (l *lexicon) weightOf(list, text string) float64 {
	at := l.list(list)
	for i := range l.cues {
		if l.cues[i].list == at && l.cues[i].text == text {
			return l.cues[i].weight
		}
	}
	return 0
}
