package machine

// Result says how a finding went.
type Result string

// The results. Warn limits what some services can do; Bad keeps the server
// from starting.
const (
	Good Result = "good"
	Warn Result = "warn"
	Bad  Result = "bad"
)

// Finding is one thing that was looked at, with the step that mends it.
type Finding struct {
	Check  string `json:"check"`
	Result Result `json:"result"`
	Detail string `json:"detail"`
	Advice string `json:"advice"`
}
