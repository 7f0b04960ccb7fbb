//go:build conformance

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// begin opens the page with an episode chosen by the address, and starts it.
func (b *tab) begin(track, difficulty string, seed int) {
	b.t.Helper()
	b.open(fmt.Sprintf("/web?track=%s&difficulty=%s&seed=%d&split=test", track, difficulty, seed))
	b.click("#setup button[type=submit]")
	b.do("wait for the form", chromedp.WaitVisible(chromedp.CSS("#decision")))
}

// choose clicks an option.
func (b *tab) choose(field string, value any) {
	b.t.Helper()
	b.click(fmt.Sprintf("input[name=%q][value=\"%v\"]", field, value))
}

// decide fills in the form of a queue ticket by clicks.
func (b *tab) decide(a answer) {
	b.t.Helper()
	for _, field := range []string{"route_category", "urgency_assessment", "resolution_difficulty"} {
		b.choose(field, a[field])
	}
	b.retype("#priority_score", fmt.Sprint(a["priority_score"]))
}

func TestAQueueIsPlayedByClicks(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("queue", "medium", 42)
	right := truths(t, "queue-medium", 42, 10)
	for i, a := range right {
		b.sees("#ticket .eyebrow", fmt.Sprintf("Ticket %d of 10", i+1))
		b.decide(a)
		b.click("#send")
		b.sees("#decide-title", fmt.Sprintf("Reward for ticket %d", i+1))
		b.sees(".totals .big", "1.000")
		if n := evaluate[int](b, "document.querySelectorAll('#decide .parts li').length"); n != 4 {
			t.Errorf("ticket %d has %d graded parts, want 4", i+1, n)
		}
		b.sees("#decide .parts", fmt.Sprint(a["route_category"], " is right"))
		b.sees("#running .standing", "You 1.000")
		b.click("#next")
	}
	b.sees("#summary-title", "The queue is done")
	b.focused("#summary-title")
	b.sees("#summary .figures", "Score1.000")
	b.sees("#summary .figures", "Efficiency1.000")
	if n := evaluate[int](b, "document.querySelectorAll('#summary svg rect.you').length"); n != 10 {
		t.Errorf("the chart has %d bars of the person, want 10", n)
	}
	if n := evaluate[int](b, "document.querySelectorAll('#summary svg rect.heuristic').length"); n != 10 {
		t.Errorf("the chart has %d bars of the heuristic, want 10", n)
	}
	if n := evaluate[int](b, "document.querySelectorAll('#summary .chart tbody tr').length"); n != 10 {
		t.Errorf("the chart's table has %d rows, want 10", n)
	}
	shown, chart := b.text("#running .heuristic b"), b.text("#summary .key.heuristic")
	if shown == "" || !strings.HasSuffix(chart, shown) {
		t.Errorf("the heuristic has %q beside the score and %q in the chart", shown, chart)
	}
	b.click("#list li:nth-child(3) button")
	b.sees("#decide-title", "Reward for ticket 3")
	b.noFailures()
}

// number is the place of a choice among those of its question, as its key.
func number(b *tab, field string, value any) string {
	b.t.Helper()
	return fmt.Sprint(1 + evaluate[int](b, fmt.Sprintf("[...document.getElementsByName(%q)].findIndex((o) => o.value === %q)", field, fmt.Sprint(value))))
}

func TestAQueueIsPlayedByKeysAlone(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.open("/")
	b.tabTo("input[name=track]")
	b.keys(kb.ArrowRight)
	b.keys(kb.ArrowLeft) // back to queue
	b.tabTo("input[name=difficulty]")
	b.tabTo("#seed")
	b.keys("a", chromedp.ModifierCtrl)
	b.keys("7")
	b.tabTo("#split")
	b.keys("te") // test
	b.tabTo("#setup button[type=submit]")
	b.keys(kb.Enter)
	b.focused("#subject")
	for i, a := range truths(t, "queue-easy", 7, 8) {
		b.sees("#ticket .eyebrow", fmt.Sprintf("Ticket %d of 8", i+1))
		for _, field := range []string{"route_category", "urgency_assessment", "resolution_difficulty"} {
			b.keys(number(b, field, a[field]))
		}
		b.focused("#priority_score")
		b.keys(fmt.Sprint(a["priority_score"]))
		b.keys(kb.Enter)
		b.sees(".totals .big", "1.000")
		b.focused("#next")
		b.keys(kb.Enter)
	}
	b.focused("#summary-title")
	b.sees("#summary .figures", "Score1.000")
	b.keys("n")
	b.sees("#running", "seed 8")
	b.noFailures()
}

func TestArrowsLettersAndDeleteAnswerToo(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("queue", "easy", 3)
	checked := func(field string) string {
		return evaluate[string](b, fmt.Sprintf("(document.querySelector('input[name=%s]:checked') || {value: ''}).value", field))
	}
	b.keys("u")
	b.focused("input[name=urgency_assessment]")
	b.keys(kb.ArrowDown)
	b.keys(kb.ArrowDown)
	if got := checked("urgency_assessment"); got != "high" {
		t.Errorf("after two arrows the urgency is %q, want high", got)
	}
	b.keys(kb.Delete)
	if got := checked("urgency_assessment"); got != "" {
		t.Errorf("after Delete the urgency is %q, want none", got)
	}
	b.keys("p")
	b.focused("#priority_score")
	b.keys("33")
	if got := evaluate[string](b, "document.querySelector('input[type=range]').value"); got != "33" {
		t.Errorf("the slider stands at %s, want 33", got)
	}
	b.do("focus the slider", chromedp.Focus(chromedp.CSS("input[type=range]")))
	b.keys(kb.ArrowRight)
	if got := evaluate[string](b, "document.getElementById('priority_score').value"); got != "34" {
		t.Errorf("the number is %s after the slider moved, want 34", got)
	}
	b.keys("t")
	b.focused("#subject")
	b.keys("?")
	b.until("document.getElementById('help').open")
	b.click("#single") // single keys no longer act
	b.keys(kb.Escape)
	b.until("!document.getElementById('help').open")
	b.keys("2")
	if got := checked("route_category"); got != "" {
		t.Errorf("with single keys off, 2 chose %q", got)
	}
	b.noFailures()
}

func TestALeftOpenQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("queue", "easy", 3)
	b.choose("route_category", "spam")
	b.click("#send")
	b.sees("#notice", "Still open: urgency, difficulty, priority score")
	if n := b.asked("POST " + b.base + "/queue/web/step"); n != 0 {
		t.Errorf("%d steps were sent, want none before the second time", n)
	}
	b.click("#send")
	b.sees("#decide .parts", "no answer; right is")
}

func TestADeskTicketIsPlayedByClicks(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("desk", "hard", 11)
	a := truths(t, "desk-hard", 11, 1)[0]
	b.sees("#send", "Send submission 1 of 3")
	b.choose("category", a["category"])
	b.choose("priority", a["priority"])
	b.click("#send")
	b.sees("#notice", "Still missing: urgency_days, department, recommendation.")
	b.sees("#send", "Send submission 2 of 3")
	b.sees("#error-department", "Still missing")
	if got := b.text("#error-category"); got != "" {
		t.Errorf("the category was given, and its question says %q", got)
	}
	b.choose("urgency_days", a["urgency_days"])
	b.choose("department", a["department"])
	b.retype("#recommendation", `Look into "it" & the customer's <b>notes</b>, then answer.`)
	b.sees("#count-recommendation", "58 of 2,000 characters, 9 words")
	b.click("#send")
	b.sees("#summary-title", "Ticket closed")
	b.sees("#decide .parts", fmt.Sprint(a["category"], " is right"))
	b.sees("#decide .parts", fmt.Sprint(a["priority"], " is right"))
	b.sees("#decide .parts", "Heuristic: ")
	b.sees("#summary .figures", "Efficiency0.667")
	b.focused("#next")
	b.click("#next")
	b.sees("#running", "seed 12")
	b.sees("#running .standing", "on 1 ticket")
	b.noFailures()
}

func TestADeskTicketIsPlayedByKeysAlone(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.open("/desk/web?difficulty=hard&seed=5&split=test")
	b.tabTo("#setup button[type=submit]")
	b.keys(kb.Enter)
	b.focused("#subject")
	a := truths(t, "desk-hard", 5, 1)[0]
	for _, field := range []string{"category", "priority", "urgency_days", "department"} {
		b.keys(number(b, field, a[field]))
	}
	b.focused("#recommendation")
	b.keys("Please look at this.")
	b.keys(kb.Enter, chromedp.ModifierCtrl)
	b.sees("#summary-title", "Ticket closed")
	b.sees("#summary .figures", "Efficiency1.000")
	b.sees("#decide .parts", fmt.Sprint(a["category"], " is right"))
	b.focused("#next")
	b.noFailures()
}

func TestADeskTicketIsClosedAfterTheThirdSubmission(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("desk", "medium", 4)
	for i := range 3 {
		b.sees("#send", fmt.Sprintf("Send submission %d of 3", i+1))
		b.click("#send")
	}
	b.sees("#summary-title", "Ticket closed")
	b.sees("#summary .note", "after the last submission")
	b.sees(".totals .big", "0.000")
}
