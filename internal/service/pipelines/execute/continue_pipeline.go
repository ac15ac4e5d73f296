package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Continuer is a Host that takes the configuration with which a setup job continues its pipeline.
type Continuer interface {
	Continue(ctx context.Context, config, parameters []byte) error
}

// maxContinuation bounds the configuration and the parameters, each.
const maxContinuation = 256 << 10

// continuePipeline hands on what "stoa-agent continue" has left. Of several nodes the first decides.
func (n *node) continuePipeline() error {
	host, ok := n.host.(Continuer)
	if !ok || !n.task.Job.Setup || n.task.Node != 0 || n.session == nil {
		return nil
	}
	config, err := n.pullFile("continue.yml")
	if err != nil || len(config) == 0 {
		return err
	}
	parameters, err := n.pullFile("continue.json")
	if err != nil {
		return err
	}
	return host.Continue(n.ctx, config, parameters)
}

// pullFile reads a small file of ours out of the sandbox, nothing when it is not there.
func (n *node) pullFile(name string) (content []byte, err error) {
	quiet := n.sink(len(n.task.Job.Steps), n.executor.limits.Silence)
	defer quiet.close()
	code, err := n.session.pull(fmt.Sprintf(`cat "$HOME/.stoa/%s" 2>/dev/null >&%d`, name, fdDataOut), quiet,
		func(from io.Reader) error {
			var failed error
			content, failed = io.ReadAll(io.LimitReader(from, maxContinuation+1))
			return failed
		})
	switch {
	case errors.Is(err, errGone):
		return nil, n.ended().err
	case err != nil:
		return nil, err
	case code != 0:
		return nil, nil
	}
	return content, nil
}
