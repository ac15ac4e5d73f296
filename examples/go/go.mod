module stoa.dev/stoa/examples/go

go 1.26.0
