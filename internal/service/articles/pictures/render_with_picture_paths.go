package pictures

import (
	"context"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// Renderer renders texts as they are kept: pictures of this server stand by their paths.
type Renderer struct {
	*markdown.Renderer
	Pictures *Pictures
}

// Render gives the HTML of a text.
func (r Renderer) Render(ctx context.Context, owner budget.Owner, text string) (string, error) {
	rendered, err := r.Renderer.Render(ctx, owner, text)
	if err != nil {
		return "", err
	}
	return r.Pictures.KeepPaths(ctx, rendered)
}

// RenderStored gives the HTML of a text that was stored already.
func (r Renderer) RenderStored(ctx context.Context, owner budget.Owner, text string) (string, error) {
	rendered, err := r.Renderer.RenderStored(ctx, owner, text)
	if err != nil {
		return "", err
	}
	return r.Pictures.KeepPaths(ctx, rendered)
}
