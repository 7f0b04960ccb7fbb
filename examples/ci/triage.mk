# Targets for a Makefile: include this file, or copy what you need. ci/gate.sh is examples/ci/gate.sh. docs/ci.md explains them.
PLAY ?= --agent exec:./agent --tasks desk-hard --episodes 100
RUN ?= build/triage-run

.PHONY: triage-play triage-gate triage-base

triage-play:
	rm -rf $(RUN)
	triage run $(PLAY) --no-meta --out $(RUN) --progress plain

triage-gate: triage-play # hold the agent against the base; make's own exit code is 2 whatever the gate's is, which make prints
	bash ci/gate.sh ci/base-rules.json $(RUN) identical 'errors == 0'

triage-base: triage-play # take what the agent scores now for the base: after a change that is wanted
	cp $(RUN)/results-*.json ci/base-rules.json
