# Ebira's tasks. `make demo` and `make test` are the two that a newcomer needs.

GO        ?= go
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   := -s -w -X main.version=$(VERSION)
FUZZTIME  ?= 10s

.PHONY: all build demo test unit lint race fuzz bench slow fmt generate ci clean go-version

all: build

# go-version stops with a clear sentence where Go is missing or too old.
go-version:
	@sh scripts/go-version.sh

# build makes bin/ebira: one static binary.
build: go-version
	CGO_ENABLED=0 $(GO) build -ldflags '$(LDFLAGS)' -o bin/ebira ./cmd/ebira

# demo starts a server on a temporary directory, loads generated sample files and shows a tour.
demo: build
	bin/ebira demo

# test sets up what it needs (Python packages in .venv, Java libraries, DuckDB) and runs everything.
test: go-version
	bash scripts/test.sh

# unit runs the Go tests of the main module only.
unit:
	$(GO) test ./...

lint:
	$(GO) test -count=1 ./internal/lint

race:
	$(GO) test -race -short ./cache ./storage/... ./vexec/... ./session/... ./flightsrv/...

# fuzz runs each fuzz target for FUZZTIME.
fuzz:
	bash scripts/fuzz.sh $(FUZZTIME)

# bench measures against DuckDB and chDB in one run; see docs/PERFORMANCE.md.
bench: build
	bash scripts/bench.sh

# slow runs the long kill -9 and fault loops.
slow:
	EBIRA_SLOW=1 $(GO) test -count=1 -timeout 60m ./storage/... ./cmd/...

fmt:
	gofmt -w $$(git ls-files '*.go')

generate:
	$(GO) generate ./...

ci:
	bash .ci/run

clean:
	rm -rf bin .venv test/java/target
