package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the keys that the service refreshes, for administrators.
func All() []resource.Resource {
	return []resource.Resource{{
		Name: "keys", Title: "API keys", One: "a key", Admin: true,
		About: "Keys of all services. A key is replaced by its holder, with the API of this service.",
		Empty: "There is no key yet. Make one under Access tokens.",
		List:  resource.Call{Command: "key list"}, Items: "/keys", Key: []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Get:     resource.Call{Command: "key show"},
		Paging:  resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Filters: []resource.Field{{Name: "user", Title: "User"}},
		Columns: []resource.Column{
			{Title: "Number", Pointer: "/id"}, {Title: "Name", Pointer: "/name"}, {Title: "User", Pointer: "/user"},
			{Title: "Services", Pointer: "/services"}, {Title: "Expires", Pointer: "/expires_at", Kind: resource.Time},
			{Title: "Last used", Pointer: "/last_used_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "revoke", Title: "Revoke", One: true, Danger: true, Call: resource.Call{Command: "key revoke"},
				Text: "Programs that use it are refused at once."},
		},
	}}
}
