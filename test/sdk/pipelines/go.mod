module stoa.dev/stoa/test/sdk/pipelines

go 1.26.0

require stoa.dev/stoa/test/sdk/world v0.0.0

replace stoa.dev/stoa/test/sdk/world => ../world
