package agent

// typoLetters is the least number of letters of a word that is forgiven a slip of the pen: shorter ones are too near to
// each other.
const typoLetters = 6

// mistyped adds the symbols of the word that an unknown one was meant to be: one with two inner letters swapped, one
// doubled, or one left out.
func (r *reader) mistyped(w []byte) {
	if len(w) < typoLetters {
		return
	}
	first := len(r.symbols)
	for i := 1; i < len(w)-2 && len(r.symbols) == first; i++ {
		if w[i] == w[i+1] {
			r.single(w, i)
			continue
		}
		w[i], w[i+1] = w[i+1], w[i]
		r.meant(w)
		w[i], w[i+1] = w[i+1], w[i]
	}
	if len(r.symbols) > first {
		return
	}
	r.lex.gapsOnce.Do(r.lex.findGaps)
	if n, ok := r.lex.gaps[hashWithout(w, len(w))]; ok {
		r.know(n)
	}
}

// single looks up a word without the second of two equal letters at i.
func (r *reader) single(w []byte, i int) {
	var buf [64]byte
	if len(w) <= len(buf) {
		r.meant(append(append(buf[:0], w[:i]...), w[i+1:]...))
	}
}

// meant adds the symbols of a word if the lexicon knows it.
func (r *reader) meant(w []byte) {
	if n, ok := r.lex.vocab[string(w)]; ok {
		r.know(n)
		return
	}
	r.symbols = r.lex.begin(w, r.symbols)
}

func (r *reader) know(word int32) {
	at := r.lex.spans[word]
	r.symbols = append(r.symbols, r.lex.symbols[at.from:at.to]...)
}

// findGaps notes the long words by what is left of them without one inner letter. A form that two words share belongs to
// neither.
func (l *lexicon) findGaps() {
	const forms = 6 // of a word, about
	l.gaps = make(map[uint64]int32, forms*len(l.vocab))
	shared := map[uint64]bool{}
	for w, n := range l.vocab { // any order will do: what is shared is taken out
		if len(w) <= typoLetters {
			continue
		}
		for i := 1; i < len(w)-1; i++ {
			h := hashWithout(w, i)
			if other, ok := l.gaps[h]; ok && other != n {
				shared[h] = true
			}
			l.gaps[h] = n
		}
	}
	for h := range shared {
		delete(l.gaps, h)
	}
}

// hashWithout is the FNV-1a hash of a word without the letter at an index.
func hashWithout[T string | []byte](w T, skip int) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(w) {
		if i != skip {
			h = (h ^ uint64(w[i])) * 1099511628211
		}
	}
	return h
}
