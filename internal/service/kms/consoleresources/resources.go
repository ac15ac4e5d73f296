package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the key-encryption keys, for administrators.
func All() []resource.Resource {
	return []resource.Resource{{
		Name: "keys", Title: "Keys", One: "a key", Admin: true, Empty: "There is no key yet. Rotate to make one.",
		About: "Key-encryption keys, newest first. Older ones go on decrypting.",
		List:  resource.Call{Command: "kms keys"}, Items: "/keys", Get: resource.Call{Command: "kms show"},
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Key:    []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "Key", Pointer: "/id"}, {Title: "State", Pointer: "/state", Kind: resource.State},
			{Title: "Provider", Pointer: "/provider"}, {Title: "Created", Pointer: "/created", Kind: resource.Time},
			{Title: "Destroyed", Pointer: "/destroyed", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "rotate", Title: "Rotate", Call: resource.Call{Command: "kms rotate"},
				Text: "A new key becomes current. Callers see its id at their next Status and encrypt again what they store."},
			{Name: "destroy", Title: "Destroy", One: true, Danger: true, Call: resource.Call{Command: "kms destroy"},
				Text: "Everything that is still stored under this key becomes unreadable, for ever."},
		},
	}}
}
