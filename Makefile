# Florin needs Go to run; `make test` installs what tests need beyond it. `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The same build everywhere: no C compiler, no queries to version control.
export CGO_ENABLED ?= 0
export GOFLAGS := $(GOFLAGS) -buildvcs=false

# The version is that of the tag, else that of the newest release in the changelog.
VERSION ?= $(shell git -c safe.directory='*' describe --tags --always --dirty 2>/dev/null \
	|| sed -nE 's/^## \[([0-9][^]]*)\].*/\1/p' CHANGELOG.md | head -n 1 | grep . || echo unreleased)
LDFLAGS := -X main.version=$(VERSION)

GOLANGCI_VERSION := v2.15.0
GOLANGCI := .cache/bin/golangci-lint-$(GOLANGCI_VERSION)

# Packages with goroutines of their own that need neither a browser nor a chain: fast enough for the race detector.
RACE_PACKAGES = $(wildcard ./internal/identity ./internal/merchant ./internal/ledger ./internal/idempotency ./internal/money \
	./internal/payment ./internal/secret ./internal/settlement ./internal/testkit ./internal/webhook)

# The packages whose tests take longest start first, so that none is alone in the end. Most of their time they wait for
# browsers, databases and chains: several packages, and several tests of each, run at once on few processors. Vet is
# a part of lint.
LONGEST_PACKAGES = ./cmd/florin ./web ./internal/payment/watch ./views ./cmd/sandbox ./internal/simulation
TESTS_AT_ONCE = -p 3 -parallel 4

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the sandbox: server, development chains, demo merchant, webhook inbox; needs Go only
	@mkdir -p bin
	@echo "== step 1 of 3: download modules, once"
	@go list -deps ./cmd/sandbox >/dev/null
	@echo "== step 2 of 3: build the sandbox; a minute or two when nothing is cached"
	@go build -ldflags '-s -w $(LDFLAGS)' -o bin/sandbox ./cmd/sandbox
	@echo "== step 3 of 3: start; the link comes in a few seconds"
	@exec bin/sandbox

.PHONY: build
build: ## Build the program for production into bin/florin
	@mkdir -p bin
	go build -trimpath -ldflags '-s -w $(LDFLAGS)' -o bin/florin ./cmd/florin

.PHONY: release
release: ## Build reproducible programs for Linux and macOS into dist/, with checksums and SBOM: VERSION=v1.0.0
	.ci/release '$(VERSION)'

.PHONY: test
test: ## Run all tests; installs PostgreSQL, Chromium and the npm engines if they are missing
	@.ci/test -count=1 -timeout 25m -vet=off -ldflags='-s -w' $(TESTS_AT_ONCE) $(LONGEST_PACKAGES) ./...

.PHONY: lint
lint: $(GOLANGCI) ## Check style, formatting and likely mistakes
	$(GOLANGCI) run

$(GOLANGCI):
	@echo "Building golangci-lint $(GOLANGCI_VERSION); this takes about a minute."
	@GOBIN='$(CURDIR)/.cache/bin' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv .cache/bin/golangci-lint $@

.PHONY: generate
generate: ## Generate pages, GraphQL, contract bindings and assets from their sources
	@.ci/install-engines
	go generate ./...

.PHONY: translations
translations: ## Write the texts of the sources into views/locales, and list what each language lacks
	@go test ./views -run TestCatalogue -update >/dev/null && go test ./views -run TestCatalogue -v | sed -n 's/^.*go:[0-9]*: //p'

.PHONY: verify
verify: ## Check that generated code and go.mod are current, and run the race detector
	.ci/verify-generated
	go mod verify
	go mod tidy -diff
	@.ci/install-compiler
	CGO_ENABLED=1 go test -race -count=1 -timeout 20m $(TESTS_AT_ONCE) $(RACE_PACKAGES)

.PHONY: lighthouse
lighthouse: ## Measure pages with Lighthouse on its mobile profile; installs it (185 MB), needs an idle machine
	@.ci/install-chromium
	@cd internal/lighthouse && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@mkdir -p bin
	@go build -ldflags '$(LDFLAGS)' -o bin/sandbox ./cmd/sandbox
	@node internal/lighthouse/run.js bin/sandbox

# A benchmark ends with an error when it misses its limit.
BENCHMARK = go test -count=1 -timeout 15m -run '^$$' -bench

.PHONY: bench
bench: ## Measure against the limits of the specification
	@.ci/install-postgres
	@failed=; for what in bench-server bench-rpc bench-scan bench-gas bench-sweeps bench-webhooks; do \
		echo "== make $$what"; $(MAKE) --no-print-directory $$what || failed+=" $$what"; \
	done; \
	if [ -n "$$failed" ]; then echo "Missed their limits:$$failed" >&2; exit 1; fi

.PHONY: bench-server
bench-server: ## Measure requests and pages of the whole program, and blocks to webhooks
	@$(BENCHMARK) Server -benchtime 1x ./cmd/florin

.PHONY: bench-rpc
bench-rpc: ## Measure what reading the networks costs in calls to their endpoints
	@go run ./cmd/bench/rpc

.PHONY: bench-week
bench-week: ## Simulate a week with one, two and three endpoints of which one fails at random: NETWORK=POLYGON
	@go run ./cmd/bench/rpc -week $(if $(NETWORK),-network $(NETWORK))

.PHONY: bench-scan
bench-scan: ## Measure the deposit scan among a thousand and a million addresses
	@$(BENCHMARK) Scan ./internal/chain/evm

.PHONY: bench-gas
bench-gas: ## Measure the gas of settling a payment, and of the days of a shop
	@$(BENCHMARK) Gas -benchtime 1x ./internal/settlement

.PHONY: bench-sweeps
bench-sweeps: ## Measure whether sweeps keep up with 200 payments a second
	@$(BENCHMARK) Sweeps -benchtime 1x ./internal/settlement

.PHONY: bench-webhooks
bench-webhooks: ## Measure webhooks a second, alone and beside receivers that hang
	@$(BENCHMARK) Deliver -benchtime 1x ./internal/webhook

.PHONY: bench-store
bench-store: ## Measure the store by itself, with 64 clients at once
	@$(BENCHMARK) Store ./internal/store

.PHONY: bench-scale
bench-scale: ## Measure lists and pages on a long history beside a short one: N=10000000 payments
	@.ci/install-postgres
	@go run ./cmd/bench/scale $(if $(N),-n $(N))

# Each prints its figures: how long after an outage money is seen, or a server serves again.
OUTAGES = ^(TestDatabase_.*|TestInstances_(Takeover|KilledWhileSending)|TestServe_DiskFull|TestRestore_(Drill|PointInTime))$$

.PHONY: outages
outages: ## Measure how long each outage lasts for a shop, as the table in web/docs/operate/README.md says
	@.ci/install-programs && .ci/install-postgres && .ci/install-engines
	@go test -count=1 -timeout 20m -parallel 2 -v -run '$(OUTAGES)' ./cmd/florin \
		| awk '/^ *=== / {test = $$3} /measured: / {sub(/.*measured: /, ""); print test ": " $$0} /^(--- FAIL|FAIL)/ {print; bad = 1} END {exit bad}'

.PHONY: soak
soak: ## Run the whole program for an hour on every network, with random payers and faults: SOAK=2m, SEED=7
	@go test -count=1 -timeout 0 -v -run '^TestSoak$$' ./cmd/florin \
		-args -soak $(or $(SOAK),1h) -seed $(or $(SEED),$(shell date +%s))
