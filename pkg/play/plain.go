package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mostListed is how many values of a field are listed each time that it is asked for; longer lists come on "?".
const mostListed = 12

// mostLine is the longest line that is read, in bytes: an answer is never that long.
const mostLine = 1 << 20

// Plain plays a session line by line: it writes tickets and questions to w and reads an answer a line from r, so that scripts and
// screen readers can use it. A line is a value, its number in the list or a beginning that only one value has; an empty one is no
// answer. :skip, :undo, :quit and ? (help) are taken in any field; the end of r is :quit. The session was started. The error is
// what ended the session, such as ctx; a person who leaves is no error.
func Plain(ctx context.Context, s *Session, o Options, r io.Reader, w io.Writer) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &talk{session: s, opts: o, w: w, ctx: ctx, lines: readLines(ctx, r)}
	for s.Ticket() != nil {
		stop, err := p.ticket(s.Ticket())
		if err = errors.Join(err, p.err); err != nil {
			return BrokenOff, err
		}
		if stop {
			return Left, nil
		}
	}
	p.say("All %d tickets are answered.\n", s.of)
	return Finished, p.err
}

// line is one that was read.
type line struct {
	text string
	err  error
}

// readLines reads in the background, as a read cannot be interrupted.
func readLines(ctx context.Context, r io.Reader) <-chan line {
	out := make(chan line)
	go func() {
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, mostLine)
		for {
			l := line{}
			if sc.Scan() {
				l.text = sc.Text()
			} else if l.err = sc.Err(); l.err == nil {
				l.err = io.EOF
			}
			select {
			case out <- l:
			case <-ctx.Done():
				return
			}
			if l.err != nil {
				return
			}
		}
	}()
	return out
}

// talk is a sitting line by line.
type talk struct {
	session *Session
	opts    Options
	w       io.Writer
	ctx     context.Context
	lines   <-chan line
	err     error // of w
}

func (p *talk) say(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// word is what a line means beside a value.
type word int

const (
	value word = iota
	skip
	undo
	quit
)

// ticket asks for the answers to one ticket and sends them; stop says that the person leaves.
func (p *talk) ticket(t *Ticket) (stop bool, err error) {
	p.show(t)
	values := map[string]string{}
	for i := range t.Fields {
		v, what, err := p.ask(&t.Fields[i])
		switch {
		case err != nil:
			return false, err
		case what == quit:
			return true, nil
		case what == undo:
			return false, p.session.Undo()
		case what == skip:
			values = nil
		}
		if what == skip {
			break
		}
		values[t.Fields[i].Name] = v
	}
	a, err := t.Action(values)
	if err != nil {
		return false, err
	}
	if err := p.session.Answer(a); err != nil {
		return false, err
	}
	if p.opts.Feedback && p.session.Last() != nil {
		p.say("%s\n", gradedText(p.session.Last()))
	}
	return false, nil
}

func (p *talk) show(t *Ticket) {
	place := fmt.Sprintf("ticket %d of %d", t.At, t.Of)
	if t.Episode != "" && t.Episode != strconv.Itoa(t.At)+" of "+strconv.Itoa(t.Of) {
		place += ", " + t.Episode + " of its queue"
	}
	p.say("\n%s, %s, %s\nsubject: %s\n", t.Key.Task, place, t.ID, t.Subject)
	for _, f := range t.Facts {
		p.say("%s: %s\n", f.Name, f.Value)
	}
	p.say("\n%s\n\n", strings.TrimRight(t.Body, "\n"))
}

// ask asks for one field until the answer is none or can be taken.
func (p *talk) ask(f *Field) (v string, what word, err error) {
	for {
		p.say("%s (%s): ", f.Title, allowed(f, mostListed))
		if p.err != nil {
			return "", quit, p.err
		}
		var l line
		select {
		case l = <-p.lines:
		case <-p.ctx.Done():
			return "", quit, context.Cause(p.ctx)
		}
		if errors.Is(l.err, io.EOF) {
			p.say("\n")
			return "", quit, nil
		}
		if l.err != nil {
			return "", quit, fmt.Errorf("reading an answer to %s: %w", f.Title, l.err)
		}
		v, what, ok := p.take(f, strings.TrimSpace(l.text))
		if ok {
			return v, what, nil
		}
	}
}

// take understands a line; ok is false where the field has to be asked for again.
func (p *talk) take(f *Field, text string) (v string, what word, ok bool) {
	switch text {
	case "?":
		p.say("%s%s\n%s: %s\n", plainHelp, Clean(p.opts.Rules), f.Title, allowed(f, len(f.Values)))
		return "", value, false
	case ":skip":
		return "", skip, true
	case ":quit":
		return "", quit, true
	case ":undo":
		switch {
		case p.opts.Feedback:
			p.say("with --feedback nothing is taken back: the right answer was shown\n")
		case !p.session.CanUndo():
			p.say("there is no answer of this sitting to take back\n")
		default:
			return "", undo, true
		}
		return "", value, false
	}
	v, err := f.check(text)
	if err != nil {
		p.say("%s\n", err)
		return "", value, false
	}
	return v, value, true
}

// allowed says what a field may be, of a list as many values as given at most.
func allowed(f *Field, most int) string {
	switch f.Kind {
	case Number:
		return fmt.Sprintf("%d to %d", f.Low, f.High)
	case Text:
		return fmt.Sprintf("text, at most %d characters", f.Most)
	}
	if len(f.Values) > most {
		return fmt.Sprintf("%d values, ? lists them", len(f.Values))
	}
	list := make([]string, len(f.Values))
	for i, v := range f.Values {
		list[i] = strconv.Itoa(i+1) + " " + cleanLine(v)
	}
	return strings.Join(list, ", ")
}

// plainHelp is what ? shows above the rules.
const plainHelp = `One line answers one field: the value, its number, or a beginning that only one value has. An empty line is no answer to
the field, which earns nothing. :skip skips the ticket (no answer: it earns nothing and counts), :undo takes the last answer of this
sitting back, :quit leaves.

`
