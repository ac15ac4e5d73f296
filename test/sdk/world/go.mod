module stoa.dev/stoa/test/sdk/world

go 1.26.0
