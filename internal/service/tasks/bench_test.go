package tasks_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/tasks"
)

func BenchmarkPurge(b *testing.B) {
	identitytest.Purge{
		Path: "/tasks/v1/lists/@default/tasks", Body: `{"title":"x"}`,
		Table: "tasks_tasks", Life: tasks.DefaultConfig().DeletedLife,
	}.Benchmark(b, build(tasks.DefaultConfig()))
}
