package reply

import "strings"

// scanner goes through a text from left to right and keeps what may be the answer.
type scanner struct {
	p      parser
	walked int // bytes looked at outside of objects

	cut         int // end of the reasoning
	openThought bool
	tangled     bool // too many objects, or too much work: the rest was not read
	objects     int

	depth        int // braces that are open in an object that could not be read
	from         int // where they are counted from: reading failed there
	unfinished   bool
	unfinishedAt int

	best   answer // the last good one
	differ bool   // there were others
	group  group
	last   int // end of the last object
	list   bool
	// What was found that is no answer, for the error message: a wrong value, an object of another kind, and what was
	// expected where an object could not be read.
	wrong, foreign, broken string
	brokenAt               int
}

// group are objects with nothing but commas between them: the members of a list, or one object.
type group struct {
	n      int
	answer answer
	mixed  bool
}

// maxObjects is how many objects are read. Replies with more are not taken for answers.
const maxObjects = 4096

// never is a depth that no closing brace ends.
const never = 1 << 30

// steps is how many bytes were looked at.
func (sc *scanner) steps() int { return sc.walked + sc.p.work }

// run goes through the text. Where an object cannot be read the search goes on behind the place where reading failed,
// never with an object that is nested in it. Every failure moves on past what was read, or to the beginning of the string
// in which it happened: so the work is linear, and the bound is there to make sure.
func (sc *scanner) run() {
	text := sc.p.text
	most := 8*len(text) + 4096
	for i := 0; i < len(text); {
		if sc.steps() > most || sc.objects > maxObjects {
			sc.tangled = true
			return
		}
		next := i + 1
		switch c := text[i]; {
		case c == '{' && sc.depth == 0:
			next = sc.object(i)
		case (c == '{' || c == '}') && sc.depth > 0:
			sc.brace(c, i)
		case c == '<' || c == '[' || c == 0xE2:
			next = sc.marker(i)
		}
		sc.walked += max(1, next-i)
		i = next
		if sc.openThought {
			return
		}
	}
	sc.closeGroup()
}

// brace counts a brace in an object that could not be read.
func (sc *scanner) brace(c byte, i int) {
	switch {
	case i < sc.from:
	case c == '{':
		sc.depth++
	default:
		sc.depth--
		sc.unfinished = sc.depth > 0
	}
}

// object reads the object at i, and gives the position from which to go on.
func (sc *scanner) object(i int) int {
	o, ok := sc.p.object(i)
	if ok {
		sc.objects++
		sc.found(&o)
		return o.end
	}
	next := max(i+1, sc.p.resume)
	if !sc.p.began { // braces in prose, or code
		return next
	}
	sc.depth, sc.from, sc.unfinished, sc.unfinishedAt = max(1, sc.p.open), sc.p.at, true, i
	if sc.p.at >= len(sc.p.text) {
		sc.depth = never
		return next
	}
	sc.broken, sc.brokenAt = sc.p.want, sc.p.at
	return next
}

// found takes an object in.
func (sc *scanner) found(o *object) {
	a := sc.p.ix.judge(&sc.p, o, true)
	if sc.last == 0 || strings.TrimSpace(sc.p.text[sc.last:o.start]) != "," {
		sc.closeGroup()
	}
	sc.last = o.end
	if a.foreign != "" {
		if !o.repaired {
			sc.foreign = a.foreign
		}
		return
	}
	g := &sc.group
	g.n++
	g.mixed = g.mixed || g.n > 1 && (a.action == nil || string(a.action) != string(g.answer.action))
	g.answer = a
}

// closeGroup decides about the objects of a group.
func (sc *scanner) closeGroup() {
	g := sc.group
	sc.group = group{}
	switch {
	case g.n == 0:
	case g.mixed:
		sc.list = true
	case g.answer.action == nil:
		sc.wrong = g.answer.wrong
	case sc.best.action == nil:
		sc.best = g.answer
	case string(sc.best.action) != string(g.answer.action):
		sc.best, sc.differ = g.answer, true
	case sc.best.repaired && !g.answer.repaired:
		sc.best = g.answer
	}
}

// The marks of reasoning, in lower case. Those of one family end each other.
var marks = [...]struct {
	text   string
	family int
	ends   bool
}{
	{"<think>", 1, false}, {"</think>", 1, true},
	{"<thinking>", 1, false}, {"</thinking>", 1, true},
	{"<thought>", 2, false}, {"</thought>", 2, true},
	{"<seed:think>", 3, false}, {"</seed:think>", 3, true},
	{"[think]", 4, false}, {"[/think]", 4, true},
	{"◁think▷", 5, false}, {"◁/think▷", 5, true},
	{"<|begin_of_thought|>", 6, false}, {"<|end_of_thought|>", 6, true},
	{channel, harmony, false}, {"<|end|>", harmony, true},
}

const (
	harmony = 7
	channel = "<|channel|>"
	message = "<|message|>"
)

// markAt gives the family and length of the mark at i; the family is 0 where there is none.
func markAt(s string, i int) (family, length int, ends bool) {
	if i+1 == len(s) {
		return 0, 0, false
	}
	switch s[i+1] {
	case '/', '|', 't', 'T', 's', 'S', 0x97: // second bytes of the marks
	default:
		return 0, 0, false
	}
	for _, m := range marks {
		if m.text[0] == s[i] && m.text[1]|0x20 == s[i+1]|0x20 && len(s)-i >= len(m.text) && strings.EqualFold(s[i:i+len(m.text)], m.text) {
			return m.family, len(m.text), m.ends
		}
	}
	return 0, 0, false
}

// marker looks whether a mark of reasoning is at i, and gives the position from which to go on. Behind an end mark
// nothing counts that was before it.
func (sc *scanner) marker(i int) int {
	family, n, ends := markAt(sc.p.text, i)
	i += n
	switch {
	case family == 0:
		return i + 1
	case family == harmony && ends: // ends messages of every kind
		return i
	case ends:
		sc.forget(i)
		return i
	case family == harmony:
		if behind, ok := sc.finalChannel(i); ok {
			sc.forget(behind)
			return behind
		}
	}
	for ; i < len(sc.p.text); i++ {
		if c := sc.p.text[i]; c != '<' && c != '[' && c != 0xE2 {
			continue
		}
		switch f, n, end := markAt(sc.p.text, i); {
		case f != family:
		case end:
			sc.forget(i + n)
			return i + n
		case family == harmony: // the next channel
			return i
		}
	}
	sc.openThought = true
	return i
}

// finalChannel reads the head of a message of the harmony form, which begins at i, and gives the position behind it if the
// message is an answer or the call of a tool.
func (sc *scanner) finalChannel(i int) (int, bool) {
	head := sc.p.text[i:min(len(sc.p.text), i+100)]
	end := strings.Index(head, message)
	if end < 0 {
		return 0, false
	}
	name := strings.ToLower(strings.TrimSpace(head[:end]))
	return i + end + len(message), strings.HasPrefix(name, "final") || strings.Contains(name, " to=")
}

// forget drops everything before a position.
func (sc *scanner) forget(before int) {
	*sc = scanner{p: sc.p, walked: sc.walked, objects: sc.objects, cut: before}
}

// onlyThought tells whether there is reasoning and nothing behind it.
func (sc *scanner) onlyThought() bool {
	rest := strings.TrimSpace(sc.p.text[sc.cut:])
	return sc.cut > 0 && (rest == "" || rest == "<|start|>assistant")
}
