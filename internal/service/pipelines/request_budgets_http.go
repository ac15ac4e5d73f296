package pipelines

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// gate charges a request to both budgets of its caller: the one for bursts and the one for sustained volume.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	key := "ip:" + clientaddr.Network(r.Request)
	if r.Caller != nil {
		key = r.Caller.LimitKey()
	}
	l := s.config.Requests
	charges := []limit.Charge{
		{Window: limit.Window{Name: "pipelines.burst", Limit: l.Burst, Per: l.BurstPer}, Key: key, Cost: 1},
		{Window: limit.Window{Name: "pipelines.sustained", Limit: l.Sustained, Per: l.SustainedPer}, Key: key, Cost: 1},
	}
	_, err := s.world.Limits.TakeAll(r.Context(), charges)
	return nil, err
}
