module stoa.dev/stoa/kit/go

go 1.25
