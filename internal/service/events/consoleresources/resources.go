package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are repositories with what happens in them.
func All() []resource.Resource {
	return []resource.Resource{
		repositories(), activity(), issues(), comments(), pulls(), commits(), branches(), hooks(), deliveries(), stream(),
	}
}

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func paging() resource.Paging { return resource.Paging{Number: "page", Size: "per_page", Per: 50} }

func repositories() resource.Resource {
	return resource.Resource{
		Name: "repositories", Title: "Repositories", One: "a repository", Empty: "You have no repository yet. Make one.",
		About: "Repositories that you can reach, with what happens in them.",
		List:  call("list_own_repos"), Paging: paging(), Get: call("get_repo"), Label: "/full_name",
		Key: []resource.Key{{Parameter: "owner", Pointer: "/owner/login"}, {Parameter: "repo", Pointer: "/name"}},
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/full_name"}, {Title: "Description", Pointer: "/description"},
			{Title: "Private", Pointer: "/private", Kind: resource.Bool}, {Title: "Branch", Pointer: "/default_branch"},
			{Title: "Stars", Pointer: "/stargazers_count"}, {Title: "Pushed", Pointer: "/pushed_at", Kind: resource.Time},
			{Title: "Clone", Pointer: "/clone_url", Kind: resource.Code},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Make a repository", Call: call("create_repo"), Fields: []resource.Field{
				{Name: "name", Title: "Name", Required: true}, {Name: "description", Title: "Description"},
				{Name: "private", Title: "Private", Kind: resource.Bool},
			}},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("update_repo"), Fields: []resource.Field{
				{Name: "description", Title: "Description"}, {Name: "private", Title: "Private", Kind: resource.Bool},
			}},
			{Name: "star", Title: "Star", One: true, Call: call("star_repo")},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("delete_repo"),
				Text: "The repository is deleted with its history, issues and pull requests."},
		},
	}
}

func activityColumns() []resource.Column {
	return []resource.Column{
		{Title: "Event", Pointer: "/id"}, {Title: "Type", Pointer: "/type"}, {Title: "Who", Pointer: "/actor/login"},
		{Title: "Repository", Pointer: "/repo/name"}, {Title: "Time", Pointer: "/created_at", Kind: resource.Time},
	}
}

func activity() resource.Resource {
	return resource.Resource{
		Name: "activity", Title: "Activity", One: "an event", In: "repositories",
		Empty: "Nothing happened yet. Push a commit.",
		List:  call("list_repo_events"), Paging: paging(), Key: []resource.Key{{Parameter: "event", Pointer: "/id"}},
		Columns: activityColumns(),
	}
}

func stream() resource.Resource {
	return resource.Resource{
		Name: "stream", Title: "Public activity", One: "an event", Empty: "Nothing public happened yet.",
		About: "What happened last in public repositories.",
		List:  call("list_public_events"), Paging: paging(), Key: []resource.Key{{Parameter: "event", Pointer: "/id"}},
		Columns: activityColumns(),
	}
}

func issues() resource.Resource {
	fields := []resource.Field{
		{Name: "title", Title: "Title", Required: true}, {Name: "body", Title: "Text", Kind: resource.Markdown},
	}
	state := func(name, title, state string) resource.Action {
		return resource.Action{
			Name: name, Title: title, One: true, Call: call("update_issue"), Body: map[string]any{"/state": state},
		}
	}
	return resource.Resource{
		Name: "issues", Title: "Issues", One: "an issue", In: "repositories", Empty: "No issues. Open one.",
		List: resource.Call{Operation: "list_issues", Query: map[string]string{"state": "all"}}, Paging: paging(),
		Get: call("get_issue"), Key: []resource.Key{{Parameter: "number", Pointer: "/number"}}, Label: "/title",
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "Number", Pointer: "/number"},
			{Title: "State", Pointer: "/state", Kind: resource.State}, {Title: "By", Pointer: "/user/login"},
			{Title: "Labels", Pointer: "/labels"}, {Title: "Changed", Pointer: "/updated_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Open an issue", Call: call("create_issue"), Fields: fields},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("update_issue"), Fields: fields},
			state("close", "Close", "closed"), state("reopen", "Reopen", "open"),
		},
	}
}

func comments() resource.Resource {
	return resource.Resource{
		Name: "comments", Title: "Comments", One: "a comment", In: "issues", Empty: "No comments yet. Write the first.",
		List: call("list_comments_of_issue"), Paging: paging(), Get: call("get_comment"),
		Key: []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "By", Pointer: "/user/login"}, {Title: "Text", Pointer: "/body"},
			{Title: "Written", Pointer: "/created_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Comment", Call: call("create_comment"), Fields: []resource.Field{
				{Name: "body", Title: "Text", Kind: resource.Markdown, Required: true},
			}},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("delete_comment")},
		},
	}
}

func pulls() resource.Resource {
	return resource.Resource{
		Name: "pulls", Title: "Pull requests", One: "a pull request", In: "repositories",
		Empty: "No pull requests. Push a branch and open one.",
		List:  resource.Call{Operation: "list_pulls", Query: map[string]string{"state": "all"}}, Paging: paging(),
		Get: call("get_pull"), Key: []resource.Key{{Parameter: "number", Pointer: "/number"}}, Label: "/title",
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "Number", Pointer: "/number"},
			{Title: "State", Pointer: "/state", Kind: resource.State}, {Title: "By", Pointer: "/user/login"},
			{Title: "From", Pointer: "/head/ref"}, {Title: "Into", Pointer: "/base/ref"},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Open a pull request", Call: call("create_pull"), Fields: []resource.Field{
				{Name: "title", Title: "Title", Required: true}, {Name: "head", Title: "Branch", Required: true},
				{Name: "base", Title: "Into", Required: true, Default: "main"},
				{Name: "body", Title: "Text", Kind: resource.Markdown},
			}},
			{Name: "merge", Title: "Merge", One: true, Call: call("merge_pull"), Text: "The branch is merged."},
		},
	}
}

func commits() resource.Resource {
	return resource.Resource{
		Name: "commits", Title: "Commits", One: "a commit", In: "repositories", Empty: "No commits yet. Push one.",
		List: call("list_commits"), Paging: paging(), Get: call("get_commit"),
		Key: []resource.Key{{Parameter: "ref", Pointer: "/sha"}}, Label: "/commit/message",
		Columns: []resource.Column{
			{Title: "Message", Pointer: "/commit/message"}, {Title: "Author", Pointer: "/commit/author/name"},
			{Title: "Time", Pointer: "/commit/author/date", Kind: resource.Time},
			{Title: "Commit", Pointer: "/sha", Kind: resource.Code},
		},
	}
}

func branches() resource.Resource {
	return resource.Resource{
		Name: "branches", Title: "Branches", One: "a branch", In: "repositories", Empty: "No branches yet. Push one.",
		List: call("list_branches"), Paging: paging(), Get: call("get_branch"),
		Key: []resource.Key{{Parameter: "branch", Pointer: "/name"}}, Label: "/name",
		Columns: []resource.Column{
			{Title: "Branch", Pointer: "/name"}, {Title: "Commit", Pointer: "/commit/sha", Kind: resource.Code},
		},
	}
}

func hooks() resource.Resource {
	return resource.Resource{
		Name: "hooks", Title: "Webhooks", One: "a webhook", In: "repositories", Empty: "No webhooks. Add one.",
		List: call("list_hooks"), Paging: paging(), Get: call("get_hook"),
		Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Label: "/config/url",
		Columns: []resource.Column{
			{Title: "Number", Pointer: "/id"}, {Title: "Address", Pointer: "/config/url"}, {Title: "Events", Pointer: "/events"},
			{Title: "Active", Pointer: "/active", Kind: resource.Bool},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a webhook", Call: call("create_hook"), Body: map[string]any{
				"/name": "web", "/config/content_type": "json",
			}, Fields: []resource.Field{
				{Name: "config/url", Title: "Address", Required: true, Help: "https://…"},
				{Name: "events", Title: "Events", Kind: resource.Lines, Default: "push"},
			}},
			{Name: "ping", Title: "Send a ping", One: true, Call: call("ping_hook")},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("delete_hook")},
		},
	}
}

func deliveries() resource.Resource {
	return resource.Resource{
		Name: "deliveries", Title: "Deliveries", One: "a delivery", In: "hooks", Empty: "Nothing was sent yet. Send a ping.",
		List: call("list_hook_deliveries"), Paging: paging(), Get: call("get_hook_delivery"),
		Key: []resource.Key{{Parameter: "delivery", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "Delivery", Pointer: "/id"}, {Title: "Event", Pointer: "/event"},
			{Title: "Status", Pointer: "/status", Kind: resource.State}, {Title: "Answer", Pointer: "/status_code"},
			{Title: "Time", Pointer: "/delivered_at", Kind: resource.Time},
		},
		Actions: []resource.Action{{Name: "again", Title: "Send again", One: true, Call: call("redeliver_hook")}},
	}
}
