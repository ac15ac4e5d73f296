package linear_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// channels are how many a history has.
const channels = 16

// watchAndStop: channels that several clients make under one id and stop. An id is used
// once, also after its channel has ended.
func watchAndStop(t *testing.T, c *cluster) {
	t.Helper()
	bearer, tag := c.token["calendar"], fmt.Sprint(time.Now().UnixNano())
	calendar := c.must(t, "POST", "/calendar/v3/calendars", bearer, map[string]any{"summary": tag})["id"].(string)
	path := "/calendar/v3/calendars/" + calendar + "/events/watch"
	body := func(id string) map[string]string {
		return map[string]string{"id": id, "type": "web_hook", "address": c.receiver.URL + "/x"}
	}
	resource := c.must(t, "POST", path, bearer, body("first-"+tag))["resourceId"]
	drive(t, c, channelModel(), true, func(h *history, client int, r *rand.Rand) {
		in := change{expect: fmt.Sprintf("channel-%d-%s", r.IntN(channels), tag), value: "watch"}
		send := func() answer { return c.send(t.Context(), r.IntN(3), "POST", path, bearer, "", body(in.expect)) }
		if r.IntN(2) == 0 {
			in.value = "stop"
			send = func() answer {
				return c.send(t.Context(), r.IntN(3), "POST", "/calendar/v3/channels/stop", bearer, "",
					map[string]any{"id": in.expect, "resourceId": resource})
			}
		}
		h.act(client, in, func() (any, bool) {
			switch a := send(); a.status {
			case http.StatusOK, http.StatusNoContent:
				return changed{}, false
			case http.StatusBadRequest, http.StatusNotFound:
				return changed{refused: true}, false
			case 0:
				return changed{unknown: true}, true
			default:
				t.Errorf("%s: %v", in.value, a)
				return nil, false
			}
		})
	})
}

// channelModel is channels that are made once and ended once, each by itself. The state is
// what the next act must be to succeed: watch, stop, or nothing.
func channelModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: func(acts []porcupine.Operation) [][]porcupine.Operation {
			byID := map[string][]porcupine.Operation{}
			for _, a := range acts {
				id := a.Input.(change).expect
				byID[id] = append(byID[id], a)
			}
			var parts [][]porcupine.Operation
			for _, part := range byID {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() []any { return []any{"watch"} },
		Step: func(state, input, output any) []any {
			now, act, out := state.(string), input.(change).value, output.(changed)
			after := map[string]string{"watch": "stop", "stop": ""}[act]
			switch {
			case act != now && (out.refused || out.unknown):
				return []any{now}
			case act != now || out.refused:
				return nil
			case out.unknown:
				return either(now, after)
			}
			return []any{after}
		},
	}
	return model.ToModel()
}
