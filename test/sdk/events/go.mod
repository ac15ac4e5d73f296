module stoa.dev/stoa/test/sdk/events

go 1.26.0

require github.com/google/go-github/v89 v89.0.0

require github.com/google/go-querystring v1.2.0 // indirect

require stoa.dev/stoa/test/sdk/world v0.0.0

replace stoa.dev/stoa/test/sdk/world => ../world
