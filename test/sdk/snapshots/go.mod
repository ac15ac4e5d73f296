module stoa.dev/stoa/test/sdk/snapshots

go 1.26.0

require github.com/DataDog/datadog-api-client-go/v2 v2.67.0

require (
	github.com/DataDog/zstd v1.5.2 // indirect
	github.com/goccy/go-json v0.10.2 // indirect
	github.com/golang/protobuf v1.5.3 // indirect
	github.com/google/uuid v1.5.0 // indirect
	golang.org/x/net v0.17.0 // indirect
	golang.org/x/oauth2 v0.10.0 // indirect
	google.golang.org/appengine v1.6.7 // indirect
	google.golang.org/protobuf v1.31.0 // indirect
)

require stoa.dev/stoa/test/sdk/world v0.0.0

replace stoa.dev/stoa/test/sdk/world => ../world
