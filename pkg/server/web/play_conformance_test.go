//go:build conformance

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/clients/browser"
)

// begin opens the page with an episode chosen by the address, and starts it.
func (b *tab) begin(track, difficulty string, seed int) {
	b.T.Helper()
	b.open(fmt.Sprintf("/web?track=%s&difficulty=%s&seed=%d&split=test", track, difficulty, seed))
	b.Click("#setup button[type=submit]")
	b.Do("wait for the form", chromedp.WaitVisible(chromedp.CSS("#decision")))
}

// choose clicks an option.
func (b *tab) choose(field string, value any) {
	b.T.Helper()
	b.Click(fmt.Sprintf("input[name=%q][value=\"%v\"]", field, value))
}

// decide fills in the form of a queue ticket by clicks.
func (b *tab) decide(a answer) {
	b.T.Helper()
	for _, field := range []string{"route_category", "urgency_assessment", "resolution_difficulty"} {
		b.choose(field, a[field])
	}
	b.Retype("#priority_score", fmt.Sprint(a["priority_score"]))
}

func TestAQueueIsPlayedByClicks(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("queue", "medium", 42)
	right := truths(t, "queue-medium", 42, 10)
	for i, a := range right {
		b.Sees("#ticket .eyebrow", fmt.Sprintf("Ticket %d of 10", i+1))
		b.decide(a)
		b.Click("#send")
		b.Sees("#decide-title", fmt.Sprintf("Reward for ticket %d", i+1))
		b.Sees(".totals .big", "1.000")
		if n := browser.Evaluate[int](b.Tab, "document.querySelectorAll('#decide .parts li').length"); n != 4 {
			t.Errorf("ticket %d has %d graded parts, want 4", i+1, n)
		}
		b.Sees("#decide .parts", fmt.Sprint(a["route_category"], " is right"))
		b.Sees("#running .standing", "You 1.000")
		b.Click("#next")
	}
	b.Sees("#summary-title", "The queue is done")
	b.Focused("#summary-title")
	b.Sees("#summary .figures", "Score1.000")
	b.Sees("#summary .figures", "Efficiency1.000")
	if n := browser.Evaluate[int](b.Tab, "document.querySelectorAll('#summary svg rect.you').length"); n != 10 {
		t.Errorf("the chart has %d bars of the person, want 10", n)
	}
	if n := browser.Evaluate[int](b.Tab, "document.querySelectorAll('#summary svg rect.heuristic').length"); n != 10 {
		t.Errorf("the chart has %d bars of the heuristic, want 10", n)
	}
	if n := browser.Evaluate[int](b.Tab, "document.querySelectorAll('#summary .chart tbody tr').length"); n != 10 {
		t.Errorf("the chart's table has %d rows, want 10", n)
	}
	shown, chart := b.Text("#running .heuristic b"), b.Text("#summary .key.heuristic")
	if shown == "" || !strings.HasSuffix(chart, shown) {
		t.Errorf("the heuristic has %q beside the score and %q in the chart", shown, chart)
	}
	b.Click("#list li:nth-child(3) button")
	b.Sees("#decide-title", "Reward for ticket 3")
}

// number is the place of a choice among those of its question, as its key.
func number(b *tab, field string, value any) string {
	b.T.Helper()
	return fmt.Sprint(1 + browser.Evaluate[int](b.Tab, fmt.Sprintf("[...document.getElementsByName(%q)].findIndex((o) => o.value === %q)", field, fmt.Sprint(value))))
}

func TestAQueueIsPlayedByKeysAlone(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.open("/")
	b.TabTo("input[name=track]")
	b.Keys(kb.ArrowRight)
	b.Keys(kb.ArrowLeft) // back to queue
	b.TabTo("input[name=difficulty]")
	b.TabTo("#seed")
	b.Keys("a", chromedp.ModifierCtrl)
	b.Keys("7")
	b.TabTo("#split")
	b.Keys("te") // test
	b.TabTo("#setup button[type=submit]")
	b.Keys(kb.Enter)
	b.Focused("#subject")
	for i, a := range truths(t, "queue-easy", 7, 8) {
		b.Sees("#ticket .eyebrow", fmt.Sprintf("Ticket %d of 8", i+1))
		for _, field := range []string{"route_category", "urgency_assessment", "resolution_difficulty"} {
			b.Keys(number(b, field, a[field]))
		}
		b.Focused("#priority_score")
		b.Keys(fmt.Sprint(a["priority_score"]))
		b.Keys(kb.Enter)
		b.Sees(".totals .big", "1.000")
		b.Focused("#next")
		b.Keys(kb.Enter)
	}
	b.Focused("#summary-title")
	b.Sees("#summary .figures", "Score1.000")
	b.Keys("n")
	b.Sees("#running", "seed 8")
}

func TestArrowsLettersAndDeleteAnswerToo(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("queue", "easy", 3)
	checked := func(field string) string {
		return browser.Evaluate[string](b.Tab, fmt.Sprintf("(document.querySelector('input[name=%s]:checked') || {value: ''}).value", field))
	}
	b.Keys("u")
	b.Focused("input[name=urgency_assessment]")
	b.Keys(kb.ArrowDown)
	b.Keys(kb.ArrowDown)
	if got := checked("urgency_assessment"); got != "high" {
		t.Errorf("after two arrows the urgency is %q, want high", got)
	}
	b.Keys(kb.Delete)
	if got := checked("urgency_assessment"); got != "" {
		t.Errorf("after Delete the urgency is %q, want none", got)
	}
	b.Keys("p")
	b.Focused("#priority_score")
	b.Keys("33")
	if got := browser.Evaluate[string](b.Tab, "document.querySelector('input[type=range]').value"); got != "33" {
		t.Errorf("the slider stands at %s, want 33", got)
	}
	b.Do("focus the slider", chromedp.Focus(chromedp.CSS("input[type=range]")))
	b.Keys(kb.ArrowRight)
	if got := browser.Evaluate[string](b.Tab, "document.getElementById('priority_score').value"); got != "34" {
		t.Errorf("the number is %s after the slider moved, want 34", got)
	}
	b.Keys("t")
	b.Focused("#subject")
	b.Keys("?")
	b.Until("document.getElementById('help').open")
	b.Click("#single") // single keys no longer act
	b.Keys(kb.Escape)
	b.Until("!document.getElementById('help').open")
	b.Keys("2")
	if got := checked("route_category"); got != "" {
		t.Errorf("with single keys off, 2 chose %q", got)
	}
}

func TestALeftOpenQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("queue", "easy", 3)
	b.choose("route_category", "spam")
	b.Click("#send")
	b.Sees("#notice", "Still open: urgency, difficulty, priority score")
	if n := b.Asked("POST " + b.base + "/queue/web/step"); n != 0 {
		t.Errorf("%d steps were sent, want none before the second time", n)
	}
	b.Click("#send")
	b.Sees("#decide .parts", "no answer; right is")
}

func TestADeskTicketIsPlayedByClicks(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("desk", "hard", 11)
	a := truths(t, "desk-hard", 11, 1)[0]
	b.Sees("#send", "Send submission 1 of 3")
	b.choose("category", a["category"])
	b.choose("priority", a["priority"])
	b.Click("#send")
	b.Sees("#notice", "Still missing: urgency_days, department, recommendation.")
	b.Sees("#send", "Send submission 2 of 3")
	b.Sees("#error-department", "Still missing")
	if got := b.Text("#error-category"); got != "" {
		t.Errorf("the category was given, and its question says %q", got)
	}
	b.choose("urgency_days", a["urgency_days"])
	b.choose("department", a["department"])
	b.Retype("#recommendation", `Look into "it" & the customer's <b>notes</b>, then answer.`)
	b.Sees("#count-recommendation", "58 of 2,000 characters, 9 words")
	b.Click("#send")
	b.Sees("#summary-title", "Ticket closed")
	b.Sees("#decide .parts", fmt.Sprint(a["category"], " is right"))
	b.Sees("#decide .parts", fmt.Sprint(a["priority"], " is right"))
	b.Sees("#decide .parts", "Heuristic: ")
	b.Sees("#summary .figures", "Efficiency0.667")
	b.Focused("#next")
	b.Click("#next")
	b.Sees("#running", "seed 12")
	b.Sees("#running .standing", "on 1 ticket")
}

func TestADeskTicketIsPlayedByKeysAlone(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.open("/desk/web?difficulty=hard&seed=5&split=test")
	b.TabTo("#setup button[type=submit]")
	b.Keys(kb.Enter)
	b.Focused("#subject")
	a := truths(t, "desk-hard", 5, 1)[0]
	for _, field := range []string{"category", "priority", "urgency_days", "department"} {
		b.Keys(number(b, field, a[field]))
	}
	b.Focused("#recommendation")
	b.Keys("Please look at this.")
	b.Keys(kb.Enter, chromedp.ModifierCtrl)
	b.Sees("#summary-title", "Ticket closed")
	b.Sees("#summary .figures", "Efficiency1.000")
	b.Sees("#decide .parts", fmt.Sprint(a["category"], " is right"))
	b.Focused("#next")
}

func TestADeskTicketIsClosedAfterTheThirdSubmission(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("desk", "medium", 4)
	for i := range 3 {
		b.Sees("#send", fmt.Sprintf("Send submission %d of 3", i+1))
		b.Click("#send")
	}
	b.Sees("#summary-title", "Ticket closed")
	b.Sees("#summary .note", "after the last submission")
	b.Sees(".totals .big", "0.000")
}
