package server

import "github.com/triagebench/triage/pkg/triage"

// Ledger decides which tickets the clients of a sealed server play.
type Ledger struct{}

type sealedRun struct{}

func (l *Ledger) begin(owner string, task triage.Task, opts *triage.ResetOptions) (*sealedRun, error) {
	return nil, nil
}
func (r *sealedRun) answered(a *triage.Action)              {}
func (r *sealedRun) finish(list []graded, s triage.Summary) {}
