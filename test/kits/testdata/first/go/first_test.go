package first

import (
	"testing"

	"stoa.dev/stoa/kit/go/stoatest"
)

func TestFirst(t *testing.T) {
	world := stoatest.World(t)
	tasks := world.Tasks()
	answer, err := tasks.HTTPClient().Get(tasks.URL + "/tasks/v1/users/@me/lists")
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	world.Expect(stoatest.Calls("tasklists.list").Exactly(1))
}
