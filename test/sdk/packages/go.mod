module stoa.dev/stoa/test/sdk/packages

go 1.26.0

require (
	deps.dev/api/v3 v3.0.0-20260811035547-133c155ce203
	deps.dev/api/v3alpha v0.0.0-20260811035547-133c155ce203
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20261019180522-ce908d29299b // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b // indirect
	google.golang.org/grpc v1.85.0 // indirect
)

require stoa.dev/stoa/test/sdk/world v0.0.0

replace stoa.dev/stoa/test/sdk/world => ../world
