package traces

// Options describe the collector and, to it, this process.
type Options struct {
	// Endpoint is the collector's base URL, as in http://127.0.0.1:4318; empty means none.
	Endpoint string
	// Name is what the process calls itself; empty means stoa.
	Name, Version string
}
