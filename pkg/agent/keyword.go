package agent

import "github.com/triagebench/triage/pkg/triage"

func newKeyword() (triage.Agent, error) { return newConstant() }
