package pipelines_test

import (
	"sync"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines"
)

// TestTwiceAtOnce: what makes something unless it is there makes one of it, however many ask at the same moment.
func TestTwiceAtOnce(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const calls = 8
		atOnce := func(url, token string) {
			var wait sync.WaitGroup
			for range calls {
				wait.Go(func() {
					if w := h.send("POST", url, "{}", token); w.Code != 200 {
						t.Errorf("POST %s: %d %s", url, w.Code, w.Body)
					}
				})
			}
			wait.Wait()
		}
		r := h.repo(t, "ada", "stoa", false)
		must(t, h.service.Projects().Disable(t.Context(), r))
		h.pushBy(t, r, "ada", onejob("test"))
		const project = "/api/v1.1/project/vcs_a/ada/stoa"

		atOnce(project+"/follow", h.Token("ada"))
		h.until(t, r, 1, "success")
		if b, err := h.service.Build(t.Context(), r, 2); err == nil {
			t.Errorf("following made another job, %+v", b.State)
		}
		atOnce(project+"/enable", h.Token("ada"))
		keys, err := h.service.Projects().CheckoutKeys(t.Context(), r)
		if err != nil || len(keys) != 1 {
			t.Errorf("%d checkout keys, %v; want one", len(keys), err)
		}
	})
}
