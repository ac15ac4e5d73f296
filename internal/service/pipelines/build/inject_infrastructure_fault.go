package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// InfrastructureFault is the fault of the lab that makes new jobs end as
// infrastructure_fail.
const InfrastructureFault = string(InfrastructureFail)

// ErrBroken is why a job of a broken plan ends.
var ErrBroken = errors.New("build: the machine of the job was lost")

// breakPlan marks the plan where the context says so, and takes the mark from that of
// a job that is run once more.
func breakPlan(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	marked := wirefault.Marked(ctx) == InfrastructureFault
	if !marked && !bytes.Contains(text, []byte(`"broken":true`)) {
		return text, nil
	}
	var plan Plan
	if err := json.Unmarshal(text, &plan); err != nil {
		return nil, err
	}
	plan.Broken = marked
	return json.Marshal(plan)
}
