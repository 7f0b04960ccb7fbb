package agent

// maxLead is the most words that a lead from one matter to another has.
const maxLead = 16

// lead acts on a sentence that leads from one matter to another.
func (h *Heuristic) lead(rd *reading, i int) {
	r, l := h.reader, &h.lists
	scores := r.sentences[i].scores
	switch {
	case scores[l.leadSubject] >= certain:
		rd.disowned, h.weight[i] = true, 0
	case scores[l.leadTurn] >= certain:
		rd.disowned = true
		for j := rd.subject; j <= i; j++ {
			h.weight[j] = 0
		}
	case scores[l.leadOther] >= certain && scores[l.ask] < certain && !h.substantial(scores):
		h.split(rd, i)
	}
}

// substantial tells whether a sentence says something of its own and so is no mere lead.
func (h *Heuristic) substantial(scores []float64) bool {
	sum := 0.0
	for _, r := range h.lists.route[:3] {
		sum += scores[r]
	}
	return sum >= certain
}

// The most words of a lesser request that stands before the lead, and the most sentences of one that stands after it.
const secondWords, secondSentences = 62, 2

// split decides which of two requests around a lead is the lesser one, and leaves it aside: by the handbook the less urgent
// one, which is mostly told in a sentence or two.
func (h *Heuristic) split(rd *reading, lead int) {
	r := h.reader
	h.weight[lead] = 0
	if rd.second {
		return
	}
	end := lead + 1
	for end < len(r.sentences) && end <= lead+secondSentences && r.sentences[end].paragraph == r.sentences[lead].paragraph {
		end++
	}
	before, after := h.words(rd.subject, lead), h.words(lead+1, len(r.sentences))
	if before == 0 || after == 0 {
		return
	}
	rd.second = true
	first := before <= secondWords && after > before
	if urgent := h.urgent(rd.subject, lead); urgent != h.urgent(lead+1, len(r.sentences)) {
		first = !urgent
	}
	if first {
		clear(h.weight[rd.subject:lead])
		return
	}
	clear(h.weight[lead+1 : end])
}

// words counts the words of the sentences that count.
func (h *Heuristic) words(from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		if h.weight[i] > 0 {
			n += int(h.reader.sentences[i].last - h.reader.sentences[i].first)
		}
	}
	return n
}

// grave is the score from which cues tell that somebody cannot work, or that data is at risk, in so many words.
const grave = 6

// urgent tells whether sentences speak of a standstill without a way out, or of data at risk.
func (h *Heuristic) urgent(from, to int) bool {
	l := &h.lists
	for i := from; i < to; i++ {
		s := h.reader.sentences[i].scores
		if h.weight[i] > 0 && (s[l.severity[3]] >= grave || s[l.severity[2]] >= grave || s[l.noWorkaround] >= grave) {
			return true
		}
	}
	return false
}
