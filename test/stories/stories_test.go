package stories_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa.dev/stoa/test/program"
)

func TestStories(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := toolchain()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("GOROOT", goroot)
			env.Setenv("GORACE", program.RaceOptions)
			env.Values[stageKey{}] = &stage{binary: binary, data: env.Getenv("DATA")}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": cmdStart,
			// testscript has a stop and a kill of its own, which win over ours:
			// its stop ends the story there and then.
			"halt":   cmdStop,
			"crash":  cmdKill,
			"output": cmdOutput,
			"signal": cmdSignal,
			"ended":  cmdEnded,
			"http":   cmdHTTP,
			"await":  cmdAwait,
			"https":  cmdHTTPS,
			"json":   cmdJSON,
			"source": cmdSource,
			"curls":  cmdCurls,
			"slow":   cmdSlow,
			"finish": cmdFinish,
		},
	})
}
