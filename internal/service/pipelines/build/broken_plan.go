package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
)

// ErrBroken is why a job of a broken plan ends.
var ErrBroken = errors.New("build: the machine of the job was lost")

// broken marks a context in which plans are broken.
type broken struct{}

// WithBrokenPlan is a context in which the jobs that are made end as
// infrastructure_fail.
func WithBrokenPlan(ctx context.Context) context.Context {
	return context.WithValue(ctx, broken{}, true)
}

// breakPlan marks the plan where the context says so, and takes the mark from that of
// a job that is run once more.
func breakPlan(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	marked := ctx.Value(broken{}) != nil
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
