package llm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// Learned gives what the endpoint has refused so far, to begin with the next time.
func (c *Client) Learned() Learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cloneLearned(c.learned)
}

// learn reads in a refusal which setting the endpoint does not take, notes it, and tells whether the call is to be made
// again. It is when another call has learned something since this one was asked.
func (c *Client) learn(a asked, e *Error) bool {
	if e.Kind != KindRefused && e.Kind != KindServer || e.Status == 0 || e.Status == 413 {
		return false
	}
	field := refusedField(a, e)
	if field == "" || e.Kind == KindServer && field != responseFormat {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.generation != c.generation {
		return true
	}
	if !c.change(a, field) {
		return false
	}
	c.generation++
	if c.o.OnLearn != nil {
		c.o.OnLearn(cloneLearned(c.learned))
	}
	return true
}

// systemRole stands for the role of a message among the fields that can be refused.
const systemRole = "system role"

// change notes one refusal. It tells whether there is another way to ask.
func (c *Client) change(a asked, field string) bool {
	l := &c.learned
	switch field {
	case systemRole:
		l.MergeSystem = true
		l.Notes = append(l.Notes, "the system message was put in front of the first user message: the endpoint refuses the system role")
	case maxTokens:
		if l.Rename == nil {
			l.Rename = map[string]string{}
		}
		l.Rename[maxTokens] = maxCompletionTokens
		l.Notes = append(l.Notes, "max_tokens was sent as max_completion_tokens: the endpoint refuses max_tokens")
	case responseFormat:
		next := FormatText
		if a.format == FormatJSONSchema {
			next = FormatJSONObject
		}
		if c.o.Format != FormatAuto || a.format == FormatText {
			return false
		}
		l.Format = string(next)
		l.Notes = append(l.Notes, "response format "+string(next)+" was asked for: the endpoint refuses "+string(a.format))
	default:
		if field == maxCompletionTokens { // under its other name it was refused before
			delete(l.Rename, maxTokens)
			field = maxTokens
		}
		if slices.Contains(l.Drop, field) {
			return false
		}
		l.Drop = append(l.Drop, field)
		slices.Sort(l.Drop)
		l.Notes = append(l.Notes, field+" was not applied: the endpoint refuses it")
	}
	return true
}

var (
	refusalWords = lazyregexp.New(`unsupported|n[o']t supported|n[o']t support|no support|unknown|unrecognized|unexpected|` +
		`extra inputs|extra_forbidden|extra fields|not (permitted|allowed|available|enabled|implemented|accepted|valid)|additional properties|` +
		`only|deprecated|may not|cannot|can't|must (be|contain|alternate)|invalid|no such|disabled|omit|remove`)
	// rangeWords tell that the value is wrong, not the field: that is for the user to put right.
	rangeWords = lazyregexp.New(`between|in range|range|greater than|less than|at (most|least)|too (large|small|big|high|low|long)|exceed|` +
		`non-negative|positive|maximum|minimum|>=|<=|≥|≤`)
	systemWords = lazyregexp.New(`system (role|message|instruction|prompt)|['"]system['"]|developer instruction|role[s]? must alternate|only user and assistant roles`)
	formatWords = lazyregexp.New(`response[_ ]?format|response[_ ]schema|json[_ ](schema|object|mode)|structured[_ ]outputs?|guided[_ ]json|\bgrammar\b`)
	thinkWords  = lazyregexp.New(`support (thinking|reasoning)|think(ing)? is not`)
)

// refusedField names the field of ours that a refusal is about, or none.
func refusedField(a asked, e *Error) string {
	said := strings.ToLower(e.said)
	refused := refusalWords.MatchString(said)
	ranged := rangeWords.MatchString(said)
	param, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(e.Param), "body."), ".")
	param, _, _ = strings.Cut(param, "[")
	if slices.Contains(a.fields, param) {
		return judged(param, refused, ranged, said)
	}
	if param == "messages" || param == "" {
		if a.system && refused && systemWords.MatchString(said) {
			return systemRole
		}
	}
	if !refused {
		return ""
	}
	first, at := "", len(said)+1
	for _, name := range a.fields {
		where := mention(said, name)
		if name == responseFormat {
			where = formatWords.FindStringIndex(said)
		}
		if where != nil && where[0] < at {
			first, at = name, where[0]
		}
	}
	if first == "" && slices.Contains(a.fields, "reasoning_effort") && thinkWords.MatchString(said) {
		first = "reasoning_effort"
	}
	return judged(first, refused, ranged, said)
}

// judged gives the field where the refusal is of the field or of every value that could be asked for, and none where
// another value would do.
func judged(field string, refused, ranged bool, said string) string {
	switch {
	case field == "" || field == "tools":
		return ""
	case field == responseFormat:
		return field
	case field == "reasoning_effort" && strings.Contains(said, "supported values"):
		return ""
	case ranged && !strings.Contains(said, "unsupported") && !strings.Contains(said, "only"):
		return ""
	case !refused:
		return ""
	}
	return field
}

func mention(said, name string) []int {
	return regexp.MustCompile(`(^|[^a-z0-9_])` + regexp.QuoteMeta(name) + `($|[^a-z0-9_])`).FindStringIndex(said)
}
