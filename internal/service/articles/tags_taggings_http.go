package articles

import (
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

func (s Scope) handleTags(r *route.Request, p page.Numbers) ([]Tag, int64, error) {
	return s.Tags(r.Context(), r.Query().Get("sort"), p)
}

func (s Scope) handleCreateTagging(r *route.Request) (Tagging, error) {
	var in Tagging
	if err := readBody(r, &in); err != nil {
		return Tagging{}, err
	}
	return s.CreateTagging(r.Context(), r.PathValue("item_id"), in)
}

func (s Scope) handleDeleteTagging(r *route.Request) error {
	return s.DeleteTagging(r.Context(), r.PathValue("item_id"), r.PathValue("tagging_id"))
}
