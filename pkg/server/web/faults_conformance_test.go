//go:build conformance

package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/clients/browser"
)

func TestAnInvalidValueShowsTheServersMessageAtItsField(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.MayFail()
	b.begin("queue", "easy", 42)
	a := truths(t, "queue-easy", 42, 1)[0]
	b.decide(a)
	for value, message := range map[string]string{"154": "less than or equal to 100", "-3": "greater than or equal to 0", "7x": "valid integer"} {
		b.Retype("#priority_score", value)
		b.Click("#send")
		b.Sees("#error-priority_score", message)
		b.Focused("#priority_score")
		b.Until("document.getElementById('priority_score').getAttribute('aria-invalid') === 'true'")
		if got := browser.Evaluate[string](b.Tab, "document.getElementById('priority_score').value"); got != value {
			t.Errorf("after the refusal the field holds %q, want %q", got, value)
		}
		b.Sees("#running .place", "0 of 8 answered")
	}
	b.Keys(kb.Backspace)
	b.Until("document.getElementById('error-priority_score').textContent === ''")
	b.Retype("#priority_score", "54")
	b.Click("#send")
	b.Sees("#running .place", "1 of 8 answered")
}

func TestAWrongSeedIsToldAtTheSeed(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.MayFail()
	b.open("/web")
	for value, message := range map[string]string{"-1": "greater than or equal to 0", "abc": "valid integer", "9223372036854775808": ""} {
		b.Retype("#seed", value)
		b.Keys(kb.Enter)
		b.Until("document.getElementById('seed').getAttribute('aria-invalid') === 'true'")
		b.Sees("#error-seed", message)
		b.Focused("#seed")
	}
}

func TestASeedOfNineteenDigitsStaysWhatItIs(t *testing.T) {
	t.Parallel()
	const seed = "9223372036854775807"
	b := browse(t, serve(t).URL)
	b.open("/web")
	b.Retype("#seed", seed)
	b.Keys(kb.Enter)
	b.Sees("#running", "seed "+seed)
	b.Click("#tab-calls")
	b.Click("#get-state")
	b.Sees("#panel-calls section:nth-of-type(3)", `"seed": `+seed)
}

// afterOne plays the first ticket of a queue, and fills in the form of the second.
func afterOne(t *testing.T, b *tab) answer {
	t.Helper()
	b.begin("queue", "easy", 42)
	right := truths(t, "queue-easy", 42, 2)
	b.decide(right[0])
	b.Click("#send")
	b.Click("#next")
	b.Sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.decide(right[1])
	return right[1]
}

// formHolds demands that the form has the answer in it.
func formHolds(b *tab, a answer) {
	b.T.Helper()
	for field, want := range a {
		got := browser.Evaluate[string](b.Tab, "String(new FormData(document.getElementById('decision')).get('"+field+"'))")
		if got != strings.TrimSpace(strings.Trim(jsonOf(b.T, want), `"`)) {
			b.T.Errorf("the form holds %s for %s, want %v", got, field, want)
		}
	}
}

func TestALostConnectionLosesNothing(t *testing.T) {
	t.Parallel()
	p := newProxy(t, serve(t))
	b := browse(t, p.url())
	b.MayFail()
	a := afterOne(t, b)
	p.cut()
	b.Click("#send")
	b.Sees("#banner", "No connection to the server. What you typed is kept.")
	b.Focused("#banner button")
	formHolds(b, a)
	b.Keys(kb.Enter) // still cut
	b.Until("document.querySelector('#banner button') && !document.querySelector('[aria-busy=true]')")
	b.Sees("#banner", "No connection to the server")
	formHolds(b, a)
	p.mend()
	b.Keys(kb.Enter)
	b.Sees("#decide-title", "Reward for ticket 2")
	b.Sees(".totals .big", "1.000")
	b.Until("document.getElementById('banner').childElementCount === 0")
	b.Sees("#running .place", "2 of 8 answered")
}

func TestAStepWhoseAnswerWasLostIsNotSentTwice(t *testing.T) {
	t.Parallel()
	p := newProxy(t, serve(t))
	b := browse(t, p.url())
	b.MayFail()
	afterOne(t, b)
	p.swallow()
	b.Click("#send")
	b.Sees("#banner", "No connection to the server")
	p.mend()
	b.Click("#banner button")
	b.Sees("#decide-title", "Reward for ticket 2")
	b.Sees("#running .place", "2 of 8 answered")
	b.Click("#tab-calls")
	b.Click("#get-state")
	b.Sees("#panel-calls section:nth-of-type(3)", `"step_count": 2`)
}

func TestAnEpisodeThatTheServerForgotGoesOn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	b := browse(t, s.URL)
	b.MayFail()
	a := afterOne(t, b)
	s.restart()
	b.Click("#send")
	b.Sees("#banner", "The server no longer has this episode.")
	formHolds(b, a)
	b.Click("#banner button") // begin it again with my answers
	b.Sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.Until("document.getElementById('banner').childElementCount === 0")
	formHolds(b, a)
	b.Click("#send")
	b.Sees("#decide-title", "Reward for ticket 2")
	b.Sees("#running .standing", "You 1.000")
	b.Sees("#running .standing", "on 2 tickets")

	s.restart()
	b.Click("#next")
	b.Click("#send") // leaves all open: asked once more
	b.Click("#send")
	b.Sees("#banner", "The server no longer has this episode.")
	b.Click("#banner button:nth-of-type(2)") // a new episode
	b.Do("wait for the setup", chromedp.WaitVisible(chromedp.CSS("#setup")))
	b.Click("#setup button[type=submit]")
	b.Sees("#running .place", "0 of 8 answered")
}

func TestAReloadGoesOnWhereThePageWas(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	a := afterOne(t, b)
	b.Do("reload", chromedp.Navigate(b.base+"/web"))
	b.Sees("#ticket .eyebrow", "Ticket 2 of 8")
	formHolds(b, a)
	b.Sees("#running .standing", "You 1.000")
	b.Click("#list li:nth-child(1) button")
	b.Sees("#decide-title", "Reward for ticket 1")
	b.Click("#next")
	formHolds(b, a)
}

func TestAReloadAfterTheServerForgotOffersToGoOn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	b := browse(t, s.URL)
	b.MayFail()
	a := afterOne(t, b)
	s.restart()
	b.Do("reload", chromedp.Navigate(b.base+"/web"))
	b.Sees("#banner", "The server no longer has this episode.")
	b.Click("#banner button") // begin it again with my answers
	b.Sees("#ticket .eyebrow", "Ticket 2 of 8")
	b.Sees("#running .standing", "You 1.000")
	formHolds(b, a)
}
