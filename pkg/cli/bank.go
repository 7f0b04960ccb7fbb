package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// mostMistakes is how many mistakes of a bank a command names that is not there to check it.
const mostMistakes = 10

// bankProblem says what is wrong with a bank, and where all of it is listed.
func bankProblem(dir string, err error) error {
	var all scenario.Problems
	if n := mostMistakes; errors.As(err, &all) && len(all) > n {
		return usageError("bank %s:\n%v\n… and %d more: triage tickets check %s lists them", dir, all[:n], len(all)-n, dir)
	}
	return usageError("bank %s:\n%v", dir, err)
}

// tellBank says on standard error if a bank of one's own has scenarios that the public bank has not, and none of them can come in a split:
// whoever wrote them would take the result for theirs.
func (s *session) tellBank(app *App, dir string, split triage.Split) error {
	if dir == "" {
		return nil
	}
	public, err := scenario.Embedded()
	if err != nil {
		return err
	}
	fresh, changed, played, err := ownScenarios(s.bank, public, split)
	if err != nil || fresh+changed == 0 || played > 0 {
		return err
	}
	var parts []string
	if fresh > 0 {
		parts = append(parts, counted(fresh, "scenario")+" that the public bank has not")
	}
	if changed > 0 {
		parts = append(parts, counted(changed, "scenario")+" that the public bank has with other words")
	}
	other := triage.Train
	if split == triage.Train {
		other = triage.Test
	}
	app.tell("bank %s: %s, 0 of them in split %s, so no ticket comes from them; --split %s plays them", dir, strings.Join(parts, " and "), split, other)
	return nil
}

// session opens the bank, and says if what is new in it is not in the split.
func (o *bankOptions) session() (*session, error) {
	s, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return nil, err
	}
	return s, s.tellBank(o.app, o.Bank, triage.Split(o.Split))
}

// ownScenarios counts the scenarios of a bank whose name the public bank has not, those that differ from the public one of their name, and
// how many of both are in a split.
func ownScenarios(bank, public *scenario.Bank, split triage.Split) (fresh, changed, played int, err error) {
	for _, s := range bank.Scenarios {
		p := public.Find(s.Slug)
		if p != nil {
			var same bool
			if same, err = equalScenarios(s, p); err != nil {
				return 0, 0, 0, err
			}
			if same {
				continue
			}
			changed++
		} else {
			fresh++
		}
		if s.Split == split {
			played++
		}
	}
	return fresh, changed, played, nil
}

// equalScenarios tells whether two scenarios say the same, by the form that the bank's hash is taken of.
func equalScenarios(a, b *scenario.Scenario) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode scenario %s: %w", a.Slug, err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("encode scenario %s: %w", b.Slug, err)
	}
	return bytes.Equal(x, y), nil
}
