package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// compiler builds a lexicon. It goes through everything in sorted order, so that equal files give equal lexicons.
type compiler struct {
	*lexicon
	first   map[string]int32 // by the first word of a cue: the step
	steps   []step
	kids    []int32           // by node: its chain in steps
	begins  map[string]uint16 // symbols of beginnings
	own     []uint16          // by known word: its own symbol, or 0
	classes map[string]uint16
	heads   []int32 // by known word: its chain in links
	links   []link
	count   uint16 // symbols so far
}

// step is a way on from a node, as it stands in the file: cues that begin alike share it.
type step struct {
	word       string
	node, next int32
}

// link is a symbol of a word.
type link struct {
	symbol uint16
	next   int32
}

func compile(f *cueFile, known []string) (*lexicon, error) {
	words, nodes := f.size()
	c := &compiler{lexicon: &lexicon{vocab: make(map[string]int32, words), prefixes: make(map[string][]prefix, words/8),
		cues: make([]cue, 0, nodes/2), nodes: make([]node, 0, nodes), edges: make([]edge, 0, 2*nodes), ends: make([]end, 0, nodes/2)},
		first: make(map[string]int32, words), steps: make([]step, 0, nodes), kids: make([]int32, 0, nodes), begins: make(map[string]uint16, words/8), classes: map[string]uint16{},
		own: make([]uint16, 0, words), heads: make([]int32, 0, words), links: make([]link, 0, 2*words)}
	c.newNode()
	c.digits, c.name = c.newSymbol(), c.newSymbol()
	c.classes["digits"], c.classes["name"] = c.digits, c.name
	for _, class := range sortedKeys(f.Classes) {
		symbol := c.newSymbol()
		c.classes[class] = symbol
		for _, line := range f.Classes[class] {
			for _, w := range strings.Fields(line) {
				if err := c.member(w, symbol); err != nil {
					return nil, fmt.Errorf("class %s: %w", class, err)
				}
			}
		}
	}
	c.num = c.classes["num"]
	if err := c.addLists(f, known); err != nil {
		return nil, err
	}
	c.finish()
	return c.lexicon, nil
}

// size guesses how many words and nodes the cues of some files make.
func (f *cueFile) size() (words, nodes int) {
	for _, list := range f.Lists {
		for _, lines := range list {
			for _, line := range lines {
				nodes += len(line) / 12
			}
		}
	}
	return 2*nodes/5 + 16, nodes + 16
}

func (c *compiler) addLists(f *cueFile, known []string) error {
	c.lists = append([]string(nil), known...)
	sort.Strings(c.lists)
	for _, name := range sortedKeys(f.Lists) {
		at := c.list(name)
		if at == len(c.lists) || c.lists[at] != name {
			return fmt.Errorf("list %q is not one that the agent reads", name)
		}
		if err := c.addList(at, f.Lists[name]); err != nil {
			return fmt.Errorf("list %s: %w", name, err)
		}
	}
	for _, name := range c.lists {
		if len(f.Lists[name]) == 0 {
			return fmt.Errorf("list %q is missing", name)
		}
	}
	return nil
}

// maxWeight bounds what one cue can count for.
const maxWeight = 9

func (c *compiler) addList(list int, weights map[string][]string) error {
	for _, w := range sortedKeys(weights) {
		weight, err := strconv.ParseFloat(w, 64)
		if err != nil || !(weight >= -maxWeight && weight <= maxWeight) {
			return fmt.Errorf("weight %q is not a number from -%d to %d", w, maxWeight, maxWeight)
		}
		for _, line := range weights[w] {
			for rest, more := strings.TrimSuffix(line, ","), true; more; {
				var text string
				text, rest, more = strings.Cut(rest, ",")
				if err := c.addCue(cue{list: list, weight: weight, text: strings.Trim(text, " ")}); err != nil {
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

func (c *compiler) newSymbol() uint16 {
	c.count++
	return c.count
}

func (c *compiler) newNode() int32 {
	c.nodes, c.kids = append(c.nodes, node{edges: none, ends: none, gap: none, any: none}), append(c.kids, none)
	return int32(len(c.nodes) - 1)
}

// addCue puts a cue into the net. Texts are split at hyphens, so cues are as well.
func (c *compiler) addCue(q cue) error {
	text := q.text
	if strings.IndexByte(text, '-') >= 0 {
		text = strings.ReplaceAll(text, "-", " ")
	}
	at, last := int32(0), ""
	for text != "" {
		var w string
		if w, text, _ = strings.Cut(text, " "); w == "" {
			continue
		}
		if at == 0 && isGap(w) {
			return errors.New("it begins with a gap")
		}
		next, err := c.follow(at, w)
		if err != nil {
			return err
		}
		at, last = next, w
	}
	if last == "" || isGap(last) {
		return errors.New("it is empty or ends with a gap")
	}
	c.cues = append(c.cues, q)
	c.ends = append(c.ends, end{int32(len(c.cues) - 1), c.nodes[at].ends})
	c.nodes[at].ends = int32(len(c.ends) - 1)
	return nil
}

// follow gives the node after a word of a cue, and makes it if no cue went there before.
func (c *compiler) follow(from int32, w string) (int32, error) {
	if from == 0 {
		if n, ok := c.first[w]; ok {
			return n, nil
		}
	}
	for k := c.kids[from]; k != none; k = c.steps[k].next { // none of the root's are there
		if c.steps[k].word == w {
			return c.steps[k].node, nil
		}
	}
	n, err := c.step(from, w)
	if err != nil {
		return 0, err
	}
	if from == 0 {
		c.first[w] = n
		return n, nil
	}
	c.steps = append(c.steps, step{w, n, c.kids[from]})
	c.kids[from] = int32(len(c.steps) - 1)
	return n, nil
}

func isGap(w string) bool { return w == "_" || w == "..." }

// step makes the node after a word of a cue, with an edge for each of the word's alternatives.
func (c *compiler) step(from int32, w string) (int32, error) {
	to := c.newNode()
	switch w {
	case "_":
		c.nodes[from].any = to
		return to, nil
	case "...":
		c.nodes[from].gap = to
		return to, nil
	}
	for more := true; more; {
		var one string
		one, w, more = strings.Cut(w, "|")
		symbol, err := c.symbolOf(one)
		if err != nil {
			return 0, err
		}
		c.edges = append(c.edges, edge{symbol, to, c.nodes[from].edges})
		c.nodes[from].edges = int32(len(c.edges) - 1)
	}
	return to, nil
}

// finish lays out the symbols of each word in one place, and the edges from the root by symbol.
func (c *compiler) finish() {
	c.spans = make([]span, len(c.heads))
	c.symbols = make([]uint16, 0, 2*len(c.links))
	for w, n := range c.vocab { // any order will do: spans do not touch each other
		from := len(c.symbols)
		for at := c.heads[n]; at != none; at = c.links[at].next {
			c.symbols = append(c.symbols, c.links[at].symbol)
		}
		if len(w) >= prefixKey {
			c.symbols = c.begin([]byte(w), c.symbols)
		}
		c.spans[n] = span{int32(from), int32(len(c.symbols))}
	}
	c.root = make([]int32, c.count+1)
	for i := range c.root {
		c.root[i] = none
	}
	for at := c.nodes[0].edges; at != none; {
		e := &c.edges[at]
		next := e.next
		e.next, c.root[e.symbol] = c.root[e.symbol], at
		at = next
	}
	c.sortEdges()
}

// sortEdges lays the edges of each node but the root side by side, sorted by symbol. The root's stay where they are, as
// they are found by symbol already.
func (c *compiler) sortEdges() {
	sorted := make([]edge, len(c.edges), 2*len(c.edges))
	copy(sorted, c.edges)
	for i := 1; i < len(c.nodes); i++ {
		n := &c.nodes[i]
		first := len(sorted)
		for at := n.edges; at != none; at = c.edges[at].next {
			sorted = append(sorted, c.edges[at])
		}
		slices.SortFunc(sorted[first:], func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.symbol, b.symbol), cmp.Compare(a.node, b.node))
		})
		n.edges, n.last = int32(first), int32(len(sorted))
	}
	c.edges = sorted
}
