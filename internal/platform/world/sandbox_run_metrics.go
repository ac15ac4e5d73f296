package world

import (
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/sandbox/runcount"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// Programs is what a service runs in its sandbox, and how many runs wait for a place.
type Programs struct {
	runcount.Counts
	Waiting int64
}

// programs are the sandboxes whose counts are shown, by the service.
type programs struct {
	mu   sync.Mutex
	read map[string]func() Programs
}

// ShowPrograms shows the counts of a service's sandbox among the metrics.
func (w *World) ShowPrograms(service string, read func() Programs) {
	w.programs.mu.Lock()
	defer w.programs.mu.Unlock()
	if w.programs.read == nil {
		w.programs.read = map[string]func() Programs{}
	}
	w.programs.read[service] = read
}

// countPrograms registers the metrics of all sandboxes.
func (w *World) countPrograms() {
	show := func(name, help, label string, values func(Programs) map[string]int64) {
		w.showSamples(name, help, []string{"service", label}, func() (samples []telemetry.Sample) {
			w.programs.mu.Lock()
			defer w.programs.mu.Unlock()
			for _, service := range slices.Sorted(maps.Keys(w.programs.read)) {
				counts := values(w.programs.read[service]())
				for _, value := range slices.Sorted(maps.Keys(counts)) {
					samples = append(samples, telemetry.Sample{Labels: []string{service, value}, Value: float64(counts[value])})
				}
			}
			return samples
		})
	}
	show("stoa_sandbox_programs", "Programs that run in a sandbox of this process, or wait for a place.", "state",
		func(p Programs) map[string]int64 { return map[string]int64{"running": p.Running, "waiting": p.Waiting} })
	show("stoa_sandbox_programs_total", "Programs that ended in a sandbox of this process, by how.", "outcome",
		func(p Programs) map[string]int64 {
			return map[string]int64{"done": p.Done, "failed": p.Failed, "killed": p.Killed, "refused": p.Refused,
				"stopped": p.Stopped}
		})
}
