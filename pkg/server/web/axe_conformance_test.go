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

func TestAxeFindsNothingSeriousAndNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	axe := browser.Axe(t)
	s := serve(t)
	queue, desk := truths(t, "queue-easy", 42, 8), truths(t, "desk-hard", 7, 1)[0]
	browser.EachLook(t, func(t *testing.T, theme string, width int64) {
		p := newProxy(t, s)
		b := browse(t, p.url())
		b.MayFail()
		b.BypassPolicy()
		b.Look(theme, width)
		b.judgeQueue(axe, p, queue)
		b.judgeDesk(axe, desk)
	})
}

func (b *tab) judgeQueue(axe string, p *proxy, right []answer) {
	b.T.Helper()
	b.open("/web?track=queue&difficulty=easy&seed=42&split=test")
	b.Judge(axe, "setup")
	b.Retype("#seed", "-1")
	b.Keys(kb.Enter)
	b.Sees("#error-seed", "greater")
	b.Judge(axe, "setup, wrong seed")
	b.begin("queue", "easy", 42)
	b.Judge(axe, "ticket")
	b.Click("#help-open")
	b.Judge(axe, "keys")
	b.Keys(kb.Escape)
	b.decide(right[0])
	b.Retype("#priority_score", "154")
	b.Click("#send")
	b.Sees("#error-priority_score", "100")
	b.Judge(axe, "ticket, wrong value")
	p.cut()
	b.Click("#send")
	b.Sees("#banner", "No connection")
	b.Judge(axe, "lost connection")
	p.mend()
	for i, a := range right {
		if i > 0 {
			a["urgency_assessment"] = "low"
		}
		b.decide(a)
		b.Click("#send")
		b.Sees("#decide-title", fmt.Sprintf("Reward for ticket %d", i+1))
		if i == 1 {
			b.Judge(axe, "grading")
		}
		b.Click("#next")
	}
	b.Sees("#summary-title", "done")
	b.Click("#summary details summary")
	b.Judge(axe, "summary")
	b.Click("#new-episode")
	b.Judge(axe, "setup over the summary")
	b.Click("#tab-handbook")
	b.Do("wait for the handbook", chromedp.WaitVisible(chromedp.CSS(".handbook .text")))
	b.Judge(axe, "handbook")
	b.Click("#tab-calls")
	b.Click(".log details:nth-of-type(2) summary")
	b.Judge(axe, "calls")
	b.Script("open all", "document.querySelectorAll('#panel-calls details').forEach((d) => { d.open = true; })")
	b.Judge(axe, "calls, all open")
}

func (b *tab) judgeDesk(axe string, right answer) {
	b.T.Helper()
	b.begin("desk", "hard", 7)
	b.Judge(axe, "desk ticket")
	b.choose("category", right["category"])
	b.Click("#send")
	b.Sees("#notice", "Still missing")
	b.Judge(axe, "desk, something missing")
	b.choose("priority", right["priority"])
	b.choose("urgency_days", right["urgency_days"])
	b.choose("department", right["department"])
	b.Retype("#recommendation", strings.Repeat("Look into it. ", 4))
	b.Click("#send")
	b.Sees("#summary-title", "Ticket closed")
	b.Judge(axe, "desk, closed")
}
