package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the lists and the tasks in them.
func All() []resource.Resource { return []resource.Resource{lists(), tasks()} }

func paging() resource.Paging {
	return resource.Paging{Token: "pageToken", Next: "/nextPageToken", Size: "maxResults", Per: resource.PageRows}
}

func lists() resource.Resource {
	title := []resource.Field{{Name: "title", Title: "Title", Required: true}}
	return resource.Resource{
		Name: "lists", Title: "Task lists", One: "a task list", Empty: "There are no task lists yet. Add the first one.",
		About: "Every task is in one of them. Clients reach the first as @default.",
		List:  resource.Call{Operation: "tasklists.list"}, Items: "/items", Paging: paging(),
		Get: resource.Call{Operation: "tasklists.get"},
		Key: []resource.Key{{Parameter: "tasklist", Pointer: "/id"}}, Label: "/title", NamesInner: true,
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "Changed", Pointer: "/updated", Kind: resource.Time},
			{Title: "ID", Pointer: "/id", Kind: resource.Code},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a task list", Call: resource.Call{Operation: "tasklists.insert"}, Fields: title},
			{Name: "edit", Title: "Rename", One: true, Edit: true, Call: resource.Call{Operation: "tasklists.patch"},
				Fields: title},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: resource.Call{Operation: "tasklists.delete"},
				Text: "The list is deleted with all its tasks."},
		},
	}
}

func tasks() resource.Resource {
	fields := []resource.Field{
		{Name: "title", Title: "Title", Required: true}, {Name: "notes", Title: "Notes", Kind: resource.Multiline},
		{Name: "due", Title: "Due", Kind: resource.Time, Help: "the day counts"},
	}
	complete := func(name, title, status string) resource.Action {
		return resource.Action{
			Name: name, Title: title, One: true, Call: resource.Call{Operation: "tasks.patch"},
			Body: map[string]any{"/status": status},
		}
	}
	return resource.Resource{
		Name: "tasks", Title: "Tasks", One: "a task", In: "lists", Empty: "The list is empty. Add a task.",
		List: resource.Call{Operation: "tasks.list", Query: map[string]string{
			"showCompleted": "true", "showHidden": "true",
		}},
		Items: "/items", Paging: paging(), Get: resource.Call{Operation: "tasks.get"},
		Key: []resource.Key{{Parameter: "task", Pointer: "/id"}}, Label: "/title",
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "State", Pointer: "/status", Kind: resource.State},
			{Title: "Due", Pointer: "/due", Kind: resource.Time}, {Title: "Notes", Pointer: "/notes"},
			{Title: "Changed", Pointer: "/updated", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a task", Call: resource.Call{Operation: "tasks.insert"}, Fields: fields},
			{Name: "clear", Title: "Hide completed tasks", Call: resource.Call{Operation: "tasks.clear"}},
			complete("complete", "Complete", "completed"), complete("reopen", "Reopen", "needsAction"),
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: resource.Call{Operation: "tasks.patch"}, Fields: fields},
			{Name: "move", Title: "Move", One: true, Call: resource.Call{Operation: "tasks.move"}, Fields: []resource.Field{
				{Name: "previous", Title: "Behind the task", In: resource.InQuery, Help: "its id; empty for the first place"},
				{Name: "parent", Title: "Below the task", In: resource.InQuery, Help: "its id; empty for the top"},
			}},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Undo: "restore",
				Call: resource.Call{Operation: "tasks.delete"}},
			{Name: "restore", Title: "Restore", One: true, Hidden: true, Call: resource.Call{Operation: "tasks.patch"},
				Body: map[string]any{"/deleted": false}},
		},
	}
}
