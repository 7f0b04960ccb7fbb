package agent

// named tells whether a person's name begins at a token: two words in capitals that no cue knows.
func (r *reader) named(i, end int32) bool {
	if i+1 >= end {
		return false
	}
	a, b := &r.tokens[i], &r.tokens[i+1]
	return a.capital && b.capital && !a.known && !b.known && a.to-a.from > 1 && b.to-b.from > 1
}

// findCues scores all sentences. Each cue counts once a sentence.
func (r *reader) findCues() { r.score(false) }

// findCuesOnce scores all sentences, and counts each cue once in the whole text.
func (r *reader) findCuesOnce() { r.score(true) }

func (r *reader) score(once bool) {
	r.stamp++
	n := len(r.lex.lists)
	if need := n * len(r.sentences); cap(r.scores) < need {
		r.scores = make([]float64, need, 2*need)
	} else {
		r.scores = r.scores[:need]
		clear(r.scores)
	}
	for i := range r.sentences {
		s := &r.sentences[i]
		s.scores = r.scores[i*n : (i+1)*n : (i+1)*n]
		if !once {
			r.stamp++
		}
		r.row = s.scores
		for t := s.first; t < s.last; t++ {
			r.from(t, s.last, i)
		}
	}
}

// from follows the cues that begin at a token.
func (r *reader) from(t, last int32, at int) {
	tok := &r.tokens[t]
	for _, symbol := range r.symbols[tok.first:tok.last] {
		for e := r.lex.root[symbol]; e != none; e = r.lex.edges[e].next {
			r.follow(r.lex.edges[e].node, t+1, last, at)
		}
	}
	if r.named(t, last) {
		for e := r.lex.root[r.lex.name]; e != none; e = r.lex.edges[e].next {
			r.follow(r.lex.edges[e].node, t+2, last, at)
		}
	}
}

// follow takes all ways on from a node, with the token t as the next word.
func (r *reader) follow(at, t, last int32, sentence int) {
	n := &r.lex.nodes[at]
	for e := n.ends; e != none; e = r.lex.ends[e].next {
		r.count(r.lex.ends[e].cue, sentence)
	}
	if t >= last {
		return
	}
	if n.any != none {
		r.follow(n.any, t+1, last, sentence)
	}
	if n.gap != none {
		for skip := int32(0); skip <= maxGap && t+skip < last; skip++ {
			r.step(n.gap, t+skip, last, sentence)
		}
	}
	r.step(at, t, last, sentence)
}

// count scores a cue, once a stamp.
func (r *reader) count(c int32, sentence int) {
	if r.seen[c] == r.stamp {
		return
	}
	r.seen[c] = r.stamp
	match := &r.lex.cues[c]
	r.row[match.list] += match.weight
	if match.list == r.keep {
		r.found = append(r.found, hit{int(c), sentence})
	}
}

// step takes the ways from a node that need a certain word at t.
func (r *reader) step(at, t, last int32, sentence int) {
	n := &r.lex.nodes[at]
	edges := r.lex.edges[n.edges:n.last]
	if len(edges) == 0 {
		return
	}
	tok := &r.tokens[t]
	for _, symbol := range r.symbols[tok.first:tok.last] {
		for i := firstEdge(edges, symbol); i < len(edges) && edges[i].symbol == symbol; i++ {
			r.follow(edges[i].node, t+1, last, sentence)
		}
	}
	for i := 0; i < len(edges) && edges[i].symbol <= r.lex.name; i++ { // it is one of the first symbols
		if edges[i].symbol == r.lex.name && r.named(t, last) {
			r.follow(edges[i].node, t+2, last, sentence)
		}
	}
}

// firstEdge gives the index of the first of some sorted edges that has the symbol or a later one.
func firstEdge(edges []edge, symbol uint16) int {
	from, to := 0, len(edges)
	for to-from > 4 {
		if mid := (from + to) / 2; edges[mid].symbol < symbol {
			from = mid + 1
		} else {
			to = mid
		}
	}
	for from < to && edges[from].symbol < symbol {
		from++
	}
	return from
}
