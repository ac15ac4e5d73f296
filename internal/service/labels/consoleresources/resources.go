package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the limits.
func All() []resource.Resource {
	return []resource.Resource{{
		Name: "limits", Title: "Label limits", One: "the limits", Single: true,
		About: "How long the texts of a label may be, and how many fields it may have.",
		List:  resource.Call{Operation: "limits.getLabel", Query: map[string]string{"name": "limits/label"}},
		Columns: []resource.Column{
			{Title: "Longest title", Pointer: "/maxTitleLength"},
			{Title: "Longest description", Pointer: "/maxDescriptionLength"},
			{Title: "Most fields", Pointer: "/maxFields"}, {Title: "Most deleted fields", Pointer: "/maxDeletedFields"},
			{Title: "Most drafts", Pointer: "/maxDraftRevisions"}, {Title: "Name", Pointer: "/name", Kind: resource.Code},
		},
	}}
}
