//go:build conformance

package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestAnInvalidValueShowsTheServersMessageAtItsField(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.begin("queue", "easy", 42)
	a := truths(t, "queue-easy", 42, 1)[0]
	b.decide(a)
	for value, message := range map[string]string{"154": "less than or equal to 100", "-3": "greater than or equal to 0", "7x": "valid integer"} {
		b.retype("#priority_score", value)
		b.click("#send")
		b.sees("#error-priority_score", message)
		b.focused("#priority_score")
		b.until("document.getElementById('priority_score').getAttribute('aria-invalid') === 'true'")
		if got := evaluate[string](b, "document.getElementById('priority_score').value"); got != value {
			t.Errorf("after the refusal the field holds %q, want %q", got, value)
		}
		b.sees("#running .place", "0 of 8 answered")
	}
	b.keys(kb.Backspace)
	b.until("document.getElementById('error-priority_score').textContent === ''")
	b.retype("#priority_score", "54")
	b.click("#send")
	b.sees("#running .place", "1 of 8 answered")
}

func TestAWrongSeedIsToldAtTheSeed(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	b.open("/web")
	for value, message := range map[string]string{"-1": "greater than or equal to 0", "abc": "valid integer", "9223372036854775808": ""} {
		b.retype("#seed", value)
		b.keys(kb.Enter)
		b.until("document.getElementById('seed').getAttribute('aria-invalid') === 'true'")
		b.sees("#error-seed", message)
		b.focused("#seed")
	}
}

func TestASeedOfNineteenDigitsStaysWhatItIs(t *testing.T) {
	t.Parallel()
	const seed = "9223372036854775807"
	b := browse(t, serve(t).url)
	b.open("/web")
	b.retype("#seed", seed)
	b.keys(kb.Enter)
	b.sees("#running", "seed "+seed)
	b.click("#tab-calls")
	b.click("#get-state")
	b.sees("#panel-calls section:nth-of-type(3)", `"seed": `+seed)
}

// afterOne plays the first ticket of a queue, and fills in the form of the second.
func afterOne(t *testing.T, b *tab) answer {
	t.Helper()
	b.begin("queue", "easy", 42)
	right := truths(t, "queue-easy", 42, 2)
	b.decide(right[0])
	b.click("#send")
	b.click("#next")
	b.sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.decide(right[1])
	return right[1]
}

// formHolds demands that the form has the answer in it.
func formHolds(b *tab, a answer) {
	b.t.Helper()
	for field, want := range a {
		got := evaluate[string](b, "String(new FormData(document.getElementById('decision')).get('"+field+"'))")
		if got != strings.TrimSpace(strings.Trim(jsonOf(b.t, want), `"`)) {
			b.t.Errorf("the form holds %s for %s, want %v", got, field, want)
		}
	}
}

func TestALostConnectionLosesNothing(t *testing.T) {
	t.Parallel()
	p := newProxy(t, serve(t))
	b := browse(t, p.url())
	a := afterOne(t, b)
	p.cut()
	b.click("#send")
	b.sees("#banner", "No connection to the server. What you typed is kept.")
	b.focused("#banner button")
	formHolds(b, a)
	b.keys(kb.Enter) // still cut
	b.until("document.querySelector('#banner button') && !document.querySelector('[aria-busy=true]')")
	b.sees("#banner", "No connection to the server")
	formHolds(b, a)
	p.mend()
	b.keys(kb.Enter)
	b.sees("#decide-title", "Reward for ticket 2")
	b.sees(".totals .big", "1.000")
	b.until("document.getElementById('banner').childElementCount === 0")
	b.sees("#running .place", "2 of 8 answered")
}

func TestAStepWhoseAnswerWasLostIsNotSentTwice(t *testing.T) {
	t.Parallel()
	p := newProxy(t, serve(t))
	b := browse(t, p.url())
	afterOne(t, b)
	p.swallow()
	b.click("#send")
	b.sees("#banner", "No connection to the server")
	p.mend()
	b.click("#banner button")
	b.sees("#decide-title", "Reward for ticket 2")
	b.sees("#running .place", "2 of 8 answered")
	b.click("#tab-calls")
	b.click("#get-state")
	b.sees("#panel-calls section:nth-of-type(3)", `"step_count": 2`)
}

func TestAnEpisodeThatTheServerForgotGoesOn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	b := browse(t, s.url)
	a := afterOne(t, b)
	s.restart()
	b.click("#send")
	b.sees("#banner", "The server no longer has this episode.")
	formHolds(b, a)
	b.click("#banner button") // begin it again with my answers
	b.sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.until("document.getElementById('banner').childElementCount === 0")
	formHolds(b, a)
	b.click("#send")
	b.sees("#decide-title", "Reward for ticket 2")
	b.sees("#running .standing", "You 1.000")
	b.sees("#running .standing", "on 2 tickets")

	s.restart()
	b.click("#next")
	b.click("#send") // leaves all open: asked once more
	b.click("#send")
	b.sees("#banner", "The server no longer has this episode.")
	b.click("#banner button:nth-of-type(2)") // a new episode
	b.do("wait for the setup", chromedp.WaitVisible(chromedp.CSS("#setup")))
	b.click("#setup button[type=submit]")
	b.sees("#running .place", "0 of 8 answered")
}

func TestAReloadGoesOnWhereThePageWas(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).url)
	a := afterOne(t, b)
	b.do("reload", chromedp.Navigate(b.base+"/web"))
	b.sees("#ticket .eyebrow", "Ticket 2 of 8")
	formHolds(b, a)
	b.sees("#running .standing", "You 1.000")
	b.click("#list li:nth-child(1) button")
	b.sees("#decide-title", "Reward for ticket 1")
	b.click("#next")
	formHolds(b, a)
	b.noFailures()
}

func TestAReloadAfterTheServerForgotOffersToGoOn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	b := browse(t, s.url)
	a := afterOne(t, b)
	s.restart()
	b.do("reload", chromedp.Navigate(b.base+"/web"))
	b.sees("#banner", "The server no longer has this episode.")
	b.click("#banner button") // begin it again with my answers
	b.sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.sees("#running .standing", "You 1.000")
	formHolds(b, a)
}
