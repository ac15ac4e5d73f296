package shellcompletion

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/app/cli/labclient"
)

// patience is how long a user waits for names after a key.
const patience = 2 * time.Second

// Worlds are the names of the worlds of a lab; none where there is no lab, which a completion is not the place to say.
func Worlds(dial func() (*labclient.Client, error)) func(context.Context) []string {
	return func(ctx context.Context) (names []string) {
		client, err := dial()
		if err != nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		answer, err := client.Call(ctx, http.MethodGet, "/worlds", nil)
		var list struct{ Worlds []struct{ Name string } }
		if err != nil || json.Unmarshal(answer, &list) != nil {
			return nil
		}
		for _, w := range list.Worlds {
			names = append(names, w.Name)
		}
		return names
	}
}
