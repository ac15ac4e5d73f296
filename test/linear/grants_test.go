package linear_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"stoa.dev/stoa/internal/app/admin"
)

// form posts a form to a node; a status of 0 says nothing, as that of send.
func (c *cluster) form(t *testing.T, node int, path string, values url.Values) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", c.node(node)+path, strings.NewReader(values.Encode()))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.client.Do(r)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 500 {
		return answer{}
	}
	a := answer{status: response.StatusCode}
	_ = json.Unmarshal(content, &a.body) // a refusal need not be an object
	return a
}

// codes are how many device codes a history has.
const codes = 12

// redeemCodes: device codes that were allowed are redeemed by several at once.
func redeemCodes(t *testing.T, c *cluster) {
	t.Helper()
	commands, _, err := admin.Dial(t.Context(), c.options[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	text, err := commands.Run(t.Context(), "client add",
		map[string][]string{"name": {"Television"}, "type": {"device"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	var all []string
	for range codes {
		begun := c.form(t, 0, "/device/code", url.Values{"client_id": {made.ID}, "scope": {"video"}})
		if _, err := commands.Run(t.Context(), "grant approve",
			map[string][]string{"user_code": {begun.text("user_code")}, "user": {"ada"}}, nil); err != nil {
			t.Fatalf("%v: %v", begun, err)
		}
		all = append(all, begun.text("device_code"))
	}
	drive(t, c, onceModel(), true, func(h *history, client int, r *rand.Rand) {
		code := all[r.IntN(len(all))]
		h.act(client, change{expect: code}, func() (any, bool) {
			a := c.form(t, r.IntN(3), "/token", url.Values{"client_id": {made.ID}, "client_secret": {made.Secret},
				"device_code": {code}, "grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}})
			switch a.status {
			case http.StatusOK:
				return changed{value: "token"}, false
			case 0:
				return changed{unknown: true}, true
			}
			return changed{refused: true}, false
		})
	})
}

// onceModel is codes each of which gives something once. The state is those that did.
func onceModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{""} },
		Step: func(state, input, output any) []any {
			used, in, out := strings.Fields(state.(string)), input.(change), output.(changed)
			gone := slices.Contains(used, in.expect)
			after := strings.Join(slices.Sorted(slices.Values(append(slices.Clone(used), in.expect))), " ")
			switch {
			case gone && (out.refused || out.unknown):
				return []any{state}
			case gone || out.refused:
				return nil
			case out.unknown:
				return either(state.(string), after)
			}
			return []any{after}
		},
	}
	return model.ToModel()
}

// admitted is how many requests an address without credentials has in an hour.
const admitted = 60

// spendLimit: clients of one address use up its limit at all nodes at once. No node is
// killed: one that keeps its counts in memory begins anew.
func spendLimit(t *testing.T, c *cluster) {
	t.Helper()
	drive(t, c, limitModel(admitted), false, func(h *history, client int, r *rand.Rand) {
		h.act(client, change{}, func() (any, bool) {
			request, err := http.NewRequestWithContext(t.Context(), "GET", c.node(r.IntN(3))+"/events", nil)
			if err != nil {
				panic(err)
			}
			response, err := c.client.Do(request)
			if err != nil {
				return changed{unknown: true}, true
			}
			defer response.Body.Close()
			switch response.StatusCode {
			case http.StatusOK:
				return changed{}, false
			case http.StatusForbidden, http.StatusTooManyRequests:
				return changed{refused: true}, false
			}
			return changed{unknown: true}, true
		})
	})
}

// limitModel is a count that goes up to its limit. The state is the count.
func limitModel(limit int) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{0} },
		Step: func(state, _, output any) []any {
			count, out := state.(int), output.(changed)
			switch {
			case out.unknown && count < limit:
				return []any{count, count + 1}
			case out.unknown, out.refused && count == limit:
				return []any{count}
			case out.refused || count == limit:
				return nil
			}
			return []any{count + 1}
		},
		DescribeState: func(state any) string { return fmt.Sprint(state) },
	}
	return model.ToModel()
}
