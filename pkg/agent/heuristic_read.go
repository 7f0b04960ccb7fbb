package agent

import (
	"bytes"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// certain is the score from which a role's cues decide what a sentence is for.
const certain = 4

// reading is what the rules made of a text.
type reading struct {
	subject  int  // sentences of the subject come first, up to here
	disowned bool // the subject is not what the mail is about
	followUp bool // it only reports that a matter is settled
	second   bool // a lesser request of another team was found
}

// read cuts a ticket into sentences, finds the cues, and weighs each sentence by what it is for.
func (h *Heuristic) read(subject, body string, d triage.Difficulty) reading {
	r := h.reader
	r.reset()
	r.read(subject, 0)
	rd := reading{subject: len(r.sentences)}
	h.mail.cut(body)
	for i, p := range h.mail.paragraphs {
		r.read(p, int32(i+1))
	}
	r.findCues()
	h.weigh(&rd)
	rd.followUp = h.isFollowUp(&rd)
	rd.disowned = rd.disowned || h.mail.quoted || isReply(subject) && !rd.followUp
	h.weighSubject(&rd, d)
	return rd
}

// isReply tells whether a subject was taken over from an older mail.
func isReply(subject string) bool {
	subject = strings.TrimLeft(subject, "!* ")
	for _, mark := range [...]string{"re:", "aw:", "fw:", "fwd:", "wg:", "sv:", "tr:", "rv:", "antw:"} {
		if len(subject) >= len(mark) && strings.EqualFold(subject[:len(mark)], mark) {
			return true
		}
	}
	return false
}

// weigh gives each sentence of the body its weight: 0 for what counts for nothing.
func (h *Heuristic) weigh(rd *reading) {
	r, l := h.reader, &h.lists
	h.weight = h.weight[:0]
	for range r.sentences {
		h.weight = append(h.weight, 1)
	}
	for i := rd.subject; i < len(r.sentences); i++ {
		s := &r.sentences[i]
		switch {
		case s.scores[l.drop] >= certain, s.scores[l.order] >= certain, s.scores[l.wait] >= certain, s.scores[l.denied] >= certain,
			s.scores[l.settled] >= certain && s.scores[l.resolved] < certain:
			h.weight[i] = 0
		case s.scores[l.passing] >= 3:
			h.weight[i] = 0.5
		}
		if n := s.last - s.first; n <= maxLead {
			h.lead(rd, i)
		}
	}
}

// maxLead is the most words that a lead from one matter to another has.
const maxLead = 18

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
	case scores[l.leadOther] >= certain && scores[l.ask] < certain:
		h.split(rd, i)
	}
}

// The most words of a lesser request that stands before the lead, and the most sentences of one that stands after it.
const secondWords, secondSentences = 62, 2

// split decides which of two requests around a lead is the lesser one, and leaves it aside.
func (h *Heuristic) split(rd *reading, lead int) {
	r := h.reader
	h.weight[lead] = 0
	if rd.second {
		return
	}
	before := 0
	for j := rd.subject; j < lead; j++ {
		if h.weight[j] > 0 {
			before += int(r.sentences[j].last - r.sentences[j].first)
		}
	}
	after := 0
	for j := lead + 1; j < len(r.sentences); j++ {
		after += int(r.sentences[j].last - r.sentences[j].first)
	}
	if before == 0 || after == 0 {
		return
	}
	rd.second = true
	if before <= secondWords && after > before {
		for j := rd.subject; j < lead; j++ {
			h.weight[j] = 0
		}
		return
	}
	for j := lead + 1; j < len(r.sentences) && j <= lead+secondSentences; j++ {
		if r.sentences[j].paragraph != r.sentences[lead].paragraph {
			break
		}
		h.weight[j] = 0
	}
}

// The most sentences and words of a mail that only reports that a matter is settled.
const followUpSentences, followUpWords = 7, 75

func (h *Heuristic) isFollowUp(rd *reading) bool {
	r, l := h.reader, &h.lists
	n, words, resolved, ask := 0, 0, 0.0, 0.0
	for i := rd.subject; i < len(r.sentences); i++ {
		s := &r.sentences[i]
		if s.scores[l.drop] >= certain || s.scores[l.order] >= certain {
			continue
		}
		n++
		words += int(s.last - s.first)
		resolved += max(s.scores[l.resolved], s.scores[l.settled])
		if s.scores[l.resolved] < certain {
			ask += max(0, s.scores[l.ask])
		}
	}
	return n <= followUpSentences && words <= followUpWords && resolved >= 5 && resolved > ask
}

// weighSubject weighs the subject by how far subjects are to be trusted.
func (h *Heuristic) weighSubject(rd *reading, d triage.Difficulty) {
	w := 1.0
	switch {
	case rd.followUp:
		w = 1.5
	case rd.disowned:
		w = 0
	case d == triage.Easy:
		w = 2
	case d == triage.Hard:
		w = 0.4
	}
	for i := range rd.subject {
		h.weight[i] = w
	}
}

// splitSubject takes a desk ticket's text apart.
func splitSubject(text string) (subject, body string) {
	subject, body, found := strings.Cut(text, "\n\n")
	if !found {
		return "", text
	}
	return subject, body
}

// clip bounds what one sentence may say of one thing.
func clip(v, most float64) float64 { return max(0, min(v, most)) }

// total sums a list over the sentences, each by its weight and by how.
func (h *Heuristic) total(list int, most float64, how func(i int, s *sentence) float64) float64 {
	sum := 0.0
	for i := range h.reader.sentences {
		s := &h.reader.sentences[i]
		if h.weight[i] > 0 && s.scores[list] > 0 {
			sum += float64(h.weight[i] * float64(how(i, s)*clip(s.scores[list], most)))
		}
	}
	return sum
}

// contains tells whether a lower-case text holds a word.
func containsWord(text []byte, w string) bool { return bytes.Contains(text, []byte(w)) }
