package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are projects, their builds and their variables, and the repositories that could be
// projects. The service's own pages begin with root, which is not what answers call the
// system of a project.
func All(root string) []resource.Resource {
	return []resource.Resource{projects(root), builds(root), variables(), recent(root), repositories(root)}
}

func paging() resource.Paging {
	return resource.Paging{Offset: "offset", Size: "limit", Per: resource.PageRows}
}

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func projects(root string) resource.Resource {
	return resource.Resource{
		Name: "projects", Title: "Projects", One: "a project",
		Empty: "You follow no project yet. Follow one of your repositories, or push one with a pipeline.",
		About: "Repositories that you follow, with their builds and variables.",
		List:  call("projects"), Label: "/reponame",
		Key: []resource.Key{
			{Parameter: "vcs", Pointer: "/vcs_type"}, {Parameter: "username", Pointer: "/username"},
			{Parameter: "project", Pointer: "/reponame"},
		},
		Columns: []resource.Column{
			{Title: "Project", Pointer: "/reponame"}, {Title: "Owner", Pointer: "/username"},
			{Title: "Default branch", Pointer: "/default_branch"},
			repositoryColumn("reponame"),
		},
		Page: root + "/{username}/{project}", PageTitle: "Builds with live output",
		Actions: []resource.Action{
			{Name: "build", Title: "Build now", One: true, Then: "builds", Call: call("trigger_project"),
				Fields: []resource.Field{{Name: "branch", Title: "Branch", Default: "main"}}},
			{Name: "unfollow", Title: "Stop following", One: true, Danger: true, Call: call("unfollow"),
				Text: "The project leaves your list. Its builds stay; Repositories has it to follow again."},
			{Name: "caches", Title: "Delete the caches", One: true, Danger: true, Call: call("delete_caches"),
				Text: "The next build starts without caches."},
		},
	}
}

// repositoryColumn is where git finds the code: official clients are told of another host.
func repositoryColumn(name string) resource.Column {
	return resource.Column{Title: "Repository", Address: "/git/{username}/{" + name + "}", Kind: resource.Code}
}

func repositories(root string) resource.Resource {
	following := func(want string) *resource.Condition {
		return &resource.Condition{Pointer: "/following", OneOf: []string{want}}
	}
	return resource.Resource{
		Name: "repositories", Title: "Repositories", One: "a repository",
		About: "Your repositories and those of your organizations: follow one to see its builds.",
		Empty: "You have no repository yet. Push one, then follow it.",
		List:  call("user_repos"), Label: "/name",
		Key: []resource.Key{
			{Parameter: "vcs", Pointer: "/vcs_type"}, {Parameter: "username", Pointer: "/username"},
			{Parameter: "project", Pointer: "/name"},
		},
		Columns: []resource.Column{
			{Title: "Repository", Pointer: "/name"}, {Title: "Owner", Pointer: "/username"},
			{Title: "Followed", Pointer: "/following", Kind: resource.Bool},
			{Title: "Default branch", Pointer: "/default_branch"},
			repositoryColumn("name"),
		},
		Page: root + "/{username}/{project}", PageTitle: "Builds with live output",
		Actions: []resource.Action{
			{Name: "follow", Title: "Follow", One: true, Call: call("follow"), If: following("false"),
				Done: "You follow the project."},
			{Name: "unfollow", Title: "Stop following", One: true, Danger: true, Call: call("unfollow"),
				If: following("true"), Text: "The project leaves your list. Its builds stay."},
		},
	}
}

func buildColumns() []resource.Column {
	return []resource.Column{
		{Title: "Build", Pointer: "/build_num"}, {Title: "Project", Pointer: "/reponame"},
		{Title: "Status", Pointer: "/status", Kind: resource.State}, {Title: "Branch", Pointer: "/branch"},
		{Title: "Subject", Pointer: "/subject"}, {Title: "Trigger", Pointer: "/why"},
		{Title: "Started", Pointer: "/start_time", Kind: resource.Time},
		{Title: "Took", Pointer: "/build_time_millis", Kind: resource.Elapsed},
	}
}

func buildActions() []resource.Action {
	act := func(name, title string) resource.Action {
		return resource.Action{Name: name, Title: title, One: true, Call: resource.Call{
			Operation: "build_action", Parameters: map[string]string{"action": name},
		}}
	}
	retry, cancel, approve := act("retry", "Run again"), act("cancel", "Cancel"), act("approve", "Approve")
	retry.Makes, retry.Done = true, "This is the new build."
	retry.If = &resource.Condition{Pointer: "/lifecycle", OneOf: []string{"finished"}}
	cancel.If = &resource.Condition{Pointer: "/lifecycle", OneOf: []string{"finished"}, Not: true}
	approve.If = &resource.Condition{Pointer: "/status", OneOf: []string{"on_hold"}}
	return []resource.Action{retry, cancel, approve}
}

func builds(root string) resource.Resource {
	return resource.Resource{
		Name: "builds", Title: "Builds", One: "a build", In: "projects", Empty: "No build yet. Push, or build now.",
		List: call("project_builds"), Paging: paging(), Get: call("build"),
		Key:     []resource.Key{{Parameter: "build_num", Pointer: "/build_num"}},
		Columns: buildColumns(), Actions: buildActions(),
		Page: root + "/{username}/{project}/{build_num}", PageTitle: "Live output and artifacts",
	}
}

func recent(root string) resource.Resource {
	return resource.Resource{
		Name: "recent", Title: "Recent builds", One: "a build", Empty: "No build yet. Push a repository with a pipeline.",
		About: "The last builds of the projects that you follow.",
		List:  call("recent_builds"), Paging: paging(), Get: call("build"),
		Key: []resource.Key{
			{Parameter: "vcs", Pointer: "/vcs_type"}, {Parameter: "username", Pointer: "/username"},
			{Parameter: "project", Pointer: "/reponame"}, {Parameter: "build_num", Pointer: "/build_num"},
		},
		Columns: buildColumns(), Actions: buildActions(),
		Page: root + "/{username}/{project}/{build_num}", PageTitle: "Live output and artifacts",
	}
}

func variables() resource.Resource {
	return resource.Resource{
		Name: "variables", Title: "Variables", One: "a variable", In: "projects", Empty: "No variables yet. Add one.",
		List: call("variables"), Get: call("variable"), Key: []resource.Key{{Parameter: "name", Pointer: "/name"}},
		Columns: []resource.Column{{Title: "Name", Pointer: "/name"},
			{Title: "Value", Pointer: "/value", Kind: resource.Code}},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a variable", Call: call("set_variable"), Fields: []resource.Field{
				{Name: "name", Title: "Name", Required: true}, {Name: "value", Title: "Value", Required: true},
			}},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("delete_variable")},
		},
	}
}
