# golangci-lint and govulncheck are pinned in tools/go.mod.
GO ?= go
TOOL = $(GO) tool -modfile=tools/go.mod
FUZZTIME ?= 60s

.PHONY: help build test race lint vuln check generate bench bench-server bench-llm bench-linear conformance fuzz cover portable scores

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

build: ## build ./triage, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o triage ./cmd/triage

test: ## run the tests
	$(GO) test ./...

race: ## run the tests with the race detector, but for the whole-program scripts
	$(GO) test -race -short $$($(GO) list ./... | grep -v /cmd/triage)

lint: ## gofmt, vet and golangci-lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(TOOL) golangci-lint run

vuln: ## look for known vulnerabilities
	$(TOOL) govulncheck ./...

check: lint race ## lint and race tests

generate: ## write the embedded bank and what the agents that do not read answer
	$(GO) generate ./pkg/scenario
	$(GO) run ./baselines/fit

bench: ## benchmarks: a step, a ticket, whole runs, whole processes, memory an episode
	$(GO) test -run '^$$' -bench . -benchmem ./pkg/env ./pkg/synth ./pkg/agent ./pkg/grade ./pkg/dataset
	$(GO) test -run '^$$' -bench . -benchtime 5x ./cmd/triage

bench-server: build ## the server against the Python one and a bare echo (make conformance makes .venv)
	$(GO) run ./clients/bench -triage ./triage -python .venv/bin/python -seeds 1000

bench-llm: build ## what the harness adds to a model's calls, beside a bare client
	$(GO) run ./clients/llmbench -triage ./triage

bench-linear: ## the text classifier against scikit-learn on BANKING77, whose folder the variable BANKING77 names
	$${PYTHON:-python3} validation/banking77/sklearn_baseline.py "$$BANKING77"
	$(GO) test ./pkg/linear -run Banking77 -bench . -benchmem -v

conformance: ## the server against real clients, validators, property tests and a browser
	@.ci/conformance

fuzz: ## fuzz every target for FUZZTIME (60s)
	@.ci/fuzz $(FUZZTIME)

cover: ## coverage of pkg/, by package and in all
	@.ci/cover

scores: ## write the committed results in baselines/scores
	@.ci/scores --write

portable: ## the same bytes with other workers, processors, zone, language, folder and architecture
	@.ci/portable
