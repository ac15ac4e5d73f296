package recipe_test

import (
	"reflect"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

const withImages = `version: 2.1
executors:
  tools:
    docker: [image: tools:1]
jobs:
  build:
    executor: tools
    steps: [run: date]
  own:
    executor: tools
    docker:
      - {image: first:1, environment: {A: b}, entrypoint: [x], auth: {username: u, password: p}}
      - {image: database:2, environment: {C: d}, command: [serve, fast]}
    steps: [run: date]
workflows: {main: {jobs: [build, own]}}
`

func TestImagesAreUsedWhereThereIsAnEngine(t *testing.T) {
	t.Parallel()
	for _, used := range []bool{true, false} {
		file, err := recipe.Options{Name: "pipeline.yml", Images: used}.Parse([]byte(withImages))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := file.Plan(recipe.Revision{Branch: "main"})
		if err != nil || len(jobs) != 2 {
			t.Fatal(jobs, err)
		}
		var first, second []recipe.Image
		if used {
			first = []recipe.Image{{Name: "tools:1"}}
			second = []recipe.Image{
				{Name: "first:1"},
				{Name: "database:2", Command: []string{"serve", "fast"}, Environment: map[string]string{"C": "d"}},
			}
		}
		if !reflect.DeepEqual(jobs[0].Images, first) || !reflect.DeepEqual(jobs[1].Images, second) {
			t.Errorf("used %v: the images are %+v and %+v", used, jobs[0].Images, jobs[1].Images)
		}
		notes := strings.Join(jobs[1].Notes, "\n")
		if jobs[1].Environment["A"] != "b" || strings.Contains(notes, "first:1 is not used") == used ||
			strings.Contains(notes, "entrypoint of the first image") != used ||
			strings.Contains(notes, "auth of an image") != used {
			t.Errorf("used %v: the environment is %v, the notes are %s", used, jobs[1].Environment, notes)
		}
	}
}
