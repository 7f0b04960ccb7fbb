package agent

import (
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
		case s.scores[l.drop] >= certain, s.scores[l.order] >= certain, s.scores[l.wait] >= certain,
			s.scores[l.denied] >= certain && s.scores[l.route[3]] < certain, // "I am not asking for …" is what feedback says
			s.scores[l.settled] >= certain && s.scores[l.resolved] < certain:
			h.weight[i] = 0
		case s.scores[l.passing] >= 3:
			h.weight[i] = min(h.weight[i], 0.5)
		}
		if n := s.last - s.first; n <= maxLead {
			h.lead(rd, i)
		}
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
func (h *Heuristic) total(list int, most float64, how func(s *sentence) float64) float64 {
	sum := 0.0
	for i := range h.reader.sentences {
		s := &h.reader.sentences[i]
		if h.weight[i] > 0 && s.scores[list] > 0 {
			sum += float64(h.weight[i] * float64(how(s)*clip(s.scores[list], most)))
		}
	}
	return sum
}

// strongest sums a list over the sentences of the body, with the sentences that say most counting most: a fact is told in
// one sentence or two, and weak cues elsewhere are mostly chance.
func (h *Heuristic) strongest(rd *reading, list int, most float64, how func(s *sentence) float64) float64 {
	sum := 0.0
	for i := rd.subject; i < len(h.reader.sentences); i++ {
		s := &h.reader.sentences[i]
		if h.weight[i] > 0 && s.scores[list] > 0 {
			v := clip(s.scores[list], most)
			sum += float64(h.weight[i] * float64(how(s)*float64(v*v)))
		}
	}
	return sum
}
