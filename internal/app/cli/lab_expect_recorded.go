package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/lab/expect/fromrecording"
	"stoa.dev/stoa/internal/platform/module"
)

// expectRecorded asks for every request of a recording whether the world was asked so.
func (p *Program) expectRecorded(ctx context.Context, world, file string) error {
	const next = "give an archive (HAR), as stoa requests har WORLD writes it, or stubs of WireMock"
	text, err := inputfile.Read(file, next)
	if err != nil {
		return err
	}
	list, err := fromrecording.Read(text)
	if err != nil {
		return module.Fail(module.Usage, next, "%s: %w", file, err)
	}
	client, err := p.dialLab(ctx)
	if err != nil {
		return err
	}
	var missed []string
	for _, e := range list {
		answer, err := client.Call(ctx, http.MethodPost, worldPath(world)+"/expect", recordedBody(e))
		if err != nil {
			return err
		}
		var v struct {
			Pass    bool
			Message string
		}
		if err := json.Unmarshal(answer, &v); err != nil {
			return err
		}
		if !v.Pass {
			missed = append(missed, fmt.Sprintf("%s %s: %s", e.Method, e.Path, v.Message))
		}
	}
	if len(missed) > 0 {
		return module.Fail(module.Failed, "", "%d of %d recorded requests were not made as recorded:\n%s", len(missed),
			len(list), strings.Join(missed, "\n"))
	}
	answer, err := json.Marshal(struct {
		Pass     bool `json:"pass"`
		Expected int  `json:"expected"`
	}{true, len(list)})
	if err != nil {
		return err
	}
	return p.print(json.RawMessage(answer))
}

func recordedBody(e fromrecording.Expected) map[string]any {
	calls := map[string]any{"path": e.Path}
	if e.Method != "" {
		calls["method"] = e.Method
	}
	if e.Status != 0 {
		calls["status"] = e.Status
	}
	if len(e.Body) > 0 {
		calls["body"] = e.Body
	}
	body := map[string]any{"calls": calls}
	if e.Count > 0 {
		body["exactly"] = e.Count
	}
	return body
}
