package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// lexicon holds cues: words and runs of words that count for a list, such as "no workaround" for "workaround.no". It is
// compiled from JSON once and read by any number of agents. All cues are found in one walk over the words of a text.
type lexicon struct {
	lists    []string // sorted
	cues     []cue
	vocab    map[string][]uint16 // symbols of a word
	prefixes map[string][]prefix // by their first letters
	root     []int32             // by symbol: the node after it, or 0
	nodes    []node
	digits   uint16 // the symbol of a run of digits
	name     uint16 // the symbol of a person's name
	num      uint16 // the symbol of class "num", which digits have as well; 0 if there is no such class
	symbols  map[string]uint16
}

// cue is what a match counts for.
type cue struct {
	list   int
	weight float64
	text   string
}

// node is a place in the tree of cues.
type node struct {
	edges []edge
	gap   int32 // the node after a gap of up to maxGap words, or 0
	any   int32 // the node after any one word, or 0
	ends  []int32
}

type edge struct {
	symbol uint16
	next   int32
}

type prefix struct {
	text    string
	symbols []uint16
}

const (
	maxGap     = 4 // words that "..." may stand for
	prefixKey  = 3 // letters by which prefixes are found; shorter ones are refused
)

// cueFile is one JSON file of a lexicon. A cue is words in lower case: "log*" is a beginning, "a|b" is either word, "_" any
// word, "..." up to four words, "$team" any word of a class. Cues stand in strings, several in one, with commas between.
type cueFile struct {
	About   string                         `json:"about"`
	Classes map[string][]string            `json:"classes"`
	Lists   map[string]map[string][]string `json:"lists"` // list -> weight -> cues
}

// loadLexicon compiles the JSON files of a folder. known are the lists that the code reads; each must be there and no
// other.
func loadLexicon(files fs.FS, folder string, known []string) (*lexicon, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	all := cueFile{Classes: map[string][]string{}, Lists: map[string]map[string][]string{}}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("rules: %w", err)
		}
		if err := all.add(data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return compile(&all, known)
}

// add reads one more file into f. Names must not repeat.
func (f *cueFile) add(data []byte) error {
	var one cueFile
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&one); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("more than one JSON value")
	}
	for name, words := range one.Classes {
		if _, ok := f.Classes[name]; ok {
			return fmt.Errorf("class %q is there already", name)
		}
		f.Classes[name] = words
	}
	for name, list := range one.Lists {
		if _, ok := f.Lists[name]; ok {
			return fmt.Errorf("list %q is there already", name)
		}
		f.Lists[name] = list
	}
	return nil
}

// compile builds the tree. It goes through everything in sorted order, so that equal files give equal lexicons.
func compile(f *cueFile, known []string) (*lexicon, error) {
	l := &lexicon{vocab: make(map[string][]uint16, 4096), prefixes: make(map[string][]prefix, 512),
		nodes: make([]node, 1, 8192), symbols: make(map[string]uint16, 4096)}
	l.digits, l.name = l.symbol("$digits"), l.symbol("$name")
	for _, class := range sortedKeys(f.Classes) {
		symbol := l.symbol("$" + class)
		for _, line := range f.Classes[class] {
			for _, w := range strings.Fields(line) {
				if err := l.word(w, symbol); err != nil {
					return nil, fmt.Errorf("class %s: %w", class, err)
				}
			}
		}
	}
	l.num = l.symbols["$num"]
	l.lists = append([]string(nil), known...)
	sort.Strings(l.lists)
	for _, name := range sortedKeys(f.Lists) {
		at := sort.SearchStrings(l.lists, name)
		if at == len(l.lists) || l.lists[at] != name {
			return nil, fmt.Errorf("list %q is not one that the agent reads", name)
		}
		if err := l.addList(at, f.Lists[name]); err != nil {
			return nil, fmt.Errorf("list %s: %w", name, err)
		}
	}
	for _, name := range l.lists {
		if len(f.Lists[name]) == 0 {
			return nil, fmt.Errorf("list %q is missing", name)
		}
	}
	l.finish()
	return l, nil
}

func (l *lexicon) addList(list int, weights map[string][]string) error {
	for _, w := range sortedKeys(weights) {
		weight, err := strconv.ParseFloat(w, 64)
		if err != nil || weight < -9 || weight > 9 {
			return fmt.Errorf("weight %q is not a number from -9 to 9", w)
		}
		for _, line := range weights[w] {
			for _, text := range strings.Split(strings.TrimSuffix(line, ","), ",") {
				text = strings.TrimSpace(text)
				if err := l.addCue(cue{list: list, weight: weight, text: text}); err != nil {
					return fmt.Errorf("cue %q: %w", text, err)
				}
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// symbol gives the number of a name, and a new one if it has none.
func (l *lexicon) symbol(name string) uint16 {
	s, ok := l.symbols[name]
	if !ok {
		s = uint16(len(l.symbols) + 1)
		l.symbols[name] = s
	}
	return s
}

// word makes a word, or with "*" a beginning of words, count as a symbol.
func (l *lexicon) word(w string, symbol uint16) error {
	text, begins := strings.CutSuffix(w, "*")
	if text == "" || strings.ContainsAny(text, "*$_.,") || strings.ToLower(text) != text {
		return fmt.Errorf("%q is not a word in lower case", w)
	}
	if !begins {
		l.vocab[text] = append(l.vocab[text], symbol)
		return nil
	}
	if len(text) < prefixKey {
		return fmt.Errorf("%q is too short for a beginning", w)
	}
	key := text[:prefixKey]
	for i := range l.prefixes[key] {
		if p := &l.prefixes[key][i]; p.text == text {
			p.symbols = append(p.symbols, symbol)
			return nil
		}
	}
	l.prefixes[key] = append(l.prefixes[key], prefix{text: text, symbols: []uint16{symbol}})
	return nil
}

// addCue puts a cue into the tree, once for each combination of its alternatives.
func (l *lexicon) addCue(c cue) error {
	words := strings.Fields(strings.ReplaceAll(c.text, "-", " ")) // texts are split there as well
	if len(words) == 0 {
		return fmt.Errorf("it is empty")
	}
	last := words[len(words)-1]
	if words[0] == "_" || words[0] == "..." || last == "..." || last == "_" {
		return fmt.Errorf("it begins or ends with a gap")
	}
	l.cues = append(l.cues, c)
	at := []int32{0}
	for _, w := range words {
		var next []int32
		for _, n := range at {
			for _, alternative := range strings.Split(w, "|") {
				to, err := l.step(n, alternative)
				if err != nil {
					return err
				}
				next = append(next, to)
			}
		}
		at = next
	}
	for _, n := range at {
		l.nodes[n].ends = append(l.nodes[n].ends, int32(len(l.cues)-1))
	}
	return nil
}

// step gives the node after a word of a cue.
func (l *lexicon) step(from int32, w string) (int32, error) {
	switch w {
	case "_":
		if l.nodes[from].any == 0 {
			l.nodes[from].any = l.newNode()
		}
		return l.nodes[from].any, nil
	case "...":
		if l.nodes[from].gap == 0 {
			l.nodes[from].gap = l.newNode()
		}
		return l.nodes[from].gap, nil
	}
	symbol, ok := l.symbols[w]
	switch {
	case strings.HasPrefix(w, "$") && !ok:
		return 0, fmt.Errorf("there is no class %q", w)
	case !ok:
		symbol = l.symbol(w)
		if err := l.word(w, symbol); err != nil {
			return 0, err
		}
	}
	for _, e := range l.nodes[from].edges {
		if e.symbol == symbol {
			return e.next, nil
		}
	}
	to := l.newNode()
	l.nodes[from].edges = append(l.nodes[from].edges, edge{symbol, to})
	return to, nil
}

func (l *lexicon) newNode() int32 {
	l.nodes = append(l.nodes, node{})
	return int32(len(l.nodes) - 1)
}

// finish gives known words the symbols of the beginnings that they have, and lays out the first step by symbol.
func (l *lexicon) finish() {
	for w, symbols := range l.vocab {
		l.vocab[w] = l.begin([]byte(w), symbols)
	}
	l.root = make([]int32, len(l.symbols)+1)
	for _, e := range l.nodes[0].edges {
		l.root[e.symbol] = e.next
	}
}

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
