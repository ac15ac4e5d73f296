module stoa.dev/stoa/engine

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.2
	go.uber.org/goleak v1.3.0
	pgregory.net/rapid v1.3.0
)
