package contract_test

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/kit/go/stoatest"
)

func TestLists(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t, stoatest.From("empty"), stoatest.SeedFile("../../world.yaml"))
	tasks := world.Tasks().WithToken(world.Env["MARY_TOKEN"])
	answer, err := tasks.HTTPClient().Get(tasks.URL + "/tasks/v1/users/@me/lists")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var lists struct{ Items []struct{ Title string } }
	if err := json.NewDecoder(answer.Body).Decode(&lists); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, list := range lists.Items {
		found[list.Title] = true
	}
	if !found["Opening"] {
		t.Errorf("the lists are %v", found)
	}
	world.Conduct().MustBeClean(t)
}
