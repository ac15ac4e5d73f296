module stoa.dev/stoa/test/sdk/device

go 1.26.0

require (
	github.com/cli/oauth v1.2.0
	golang.org/x/oauth2 v0.37.0
)

require stoa.dev/stoa/test/sdk/world v0.0.0

replace stoa.dev/stoa/test/sdk/world => ../world
