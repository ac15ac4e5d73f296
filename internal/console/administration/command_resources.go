package administration

import (
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
)

// Name is the part of addresses that the resources lie below.
const Name = "administration"

// Base is the address that the pages lie below.
const Base = "/console/administration"

// Module describes the resources as those of a service are.
func Module() module.Module {
	return module.Module{Name: Name, Title: "Administration", Resources: []resource.Resource{
		users(), orgs(), teams(), clients(),
		credentials("tokens", "token", "What programs send to act for a user, of all users."),
		credentials("keys", "key", "API and application keys, of all users."),
		jobs(), schedules(), deliveries(), auditTrail(),
	}}
}

func command(path string) resource.Call { return resource.Call{Command: path} }

func one(name, title, path string) resource.Action {
	return resource.Action{Name: name, Title: title, One: true, Call: command(path)}
}

func dangerous(a resource.Action, text string) resource.Action {
	a.Danger, a.Text = true, text
	return a
}

// onlyIf offers an action where a member has a value.
func onlyIf(a resource.Action, pointer, value string) resource.Action {
	a.If = &resource.Condition{Pointer: pointer, OneOf: []string{value}}
	return a
}

func shown(a resource.Action) resource.Action {
	a.Shows = true
	return a
}

func users() resource.Resource {
	return resource.Resource{
		Name: "users", Title: "Users", One: "a user", Admin: true, Empty: "There are no users yet. Add the first one.",
		About: "Who can sign in, and who owns what services hold.",
		List:  command("user list"), Items: "/users", Get: command("user show"),
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Key:    []resource.Key{{Parameter: "name", Pointer: "/name"}}, Label: "/name",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"},
			{Title: "Display name", Pointer: "/display_name", Only: resource.InItem},
			{Title: "Administrator", Pointer: "/admin", Kind: resource.Bool},
			{Title: "Disabled", Pointer: "/disabled", Kind: resource.Bool},
			{Title: "Email", Pointer: "/email"},
			{Title: "Organizations", Pointer: "/orgs"},
			{Title: "Teams", Pointer: "/teams", Only: resource.InItem},
			{Title: "Created", Pointer: "/created_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{
				Name: "add", Title: "Add a user", Call: command("user add"), Shows: true,
				Text: "Without a password one is generated and shown once.",
			},
			{
				Name: "import", Title: "Import users", Call: command("user import"), Shows: true,
				Note: "Passwords that were made are shown now and never again. Copy them before you leave this page.",
				Text: "The first line names the columns: name, and any of display_name, email, password, admin (yes or no), " +
					"separated by commas or by semicolons. Who has no password gets one, which is shown once. Lines whose " +
					"name is taken are skipped; with any other mistake no user is added.",
				Fields: []resource.Field{{Name: "file", Title: "CSV", Kind: resource.Upload, Required: true,
					Help: "paste it, or choose a file"}},
			},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: command("user set"), Fields: []resource.Field{
				{Name: "display-name", Title: "Display name", From: "/display_name"}, {Name: "email", Title: "Email"},
				{Name: "admin", Title: "Administrator", Kind: resource.Choice, Options: []string{"yes", "no"}, Required: true},
			}},
			shown(one("password", "New password", "user password")),
			onlyIf(dangerous(one("disable", "Disable", "user disable"),
				"The user's sessions, tokens and keys stop working at once."), "/disabled", "false"),
			onlyIf(one("enable", "Enable", "user enable"), "/disabled", "true"),
			dangerous(one("delete", "Delete", "user remove"),
				"Everything that lets the user in ends at once. It is refused while something belongs to the user."),
		},
	}
}

func orgs() resource.Resource {
	return resource.Resource{
		Name: "organizations", Title: "Organizations", One: "an organization", Admin: true,
		Empty: "There are no organizations yet. Add the first one.",
		About: "Accounts without a password that own repositories and applications, with users as members.",
		List:  command("org list"), Items: "/orgs", Get: command("org show"),
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Key:    []resource.Key{{Parameter: "org", Pointer: "/name"}}, Label: "/name",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Enterprise", Pointer: "/enterprise", Kind: resource.Bool},
			{Title: "Members", Pointer: "/members", Only: resource.InItem},
			{Title: "Forbidden scopes", Pointer: "/forbidden", Only: resource.InItem},
			{Title: "Approved applications", Pointer: "/approved", Only: resource.InItem},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add an organization", Call: command("org add")},
			one("member", "Add a member", "org member add"), one("remove", "Remove a member", "org member remove"),
			one("forbid", "Forbid or allow a scope", "org forbid"),
			one("approve", "Approve an application", "org approve"),
			one("edit", "Change the plan", "org set"),
			dangerous(one("delete", "Delete", "org remove"),
				"Its memberships end at once. It is refused while something belongs to the organization."),
		},
	}
}

func teams() resource.Resource {
	return resource.Resource{
		Name: "teams", Title: "Teams", One: "a team", Admin: true, Empty: "There are no teams yet. Add the first one.",
		About: "Users who share articles at a host of their own.",
		List:  command("team list"), Items: "/teams", Get: command("team show"),
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Key:    []resource.Key{{Parameter: "team", Pointer: "/name"}}, Label: "/title",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Title", Pointer: "/title"},
			{Title: "Active", Pointer: "/active", Kind: resource.Bool},
			{Title: "Members", Pointer: "/members", Only: resource.InItem},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a team", Call: command("team add")},
			one("member", "Add a member", "team member add"), one("remove", "Remove a member", "team member remove"),
			one("edit", "Edit", "team set"),
			dangerous(one("delete", "Delete", "team remove"),
				"Its memberships, tokens and keys end at once. It is refused while something belongs to the team."),
		},
	}
}

func clients() resource.Resource {
	return resource.Resource{
		Name: "applications", Title: "All applications", One: "an application", Admin: true,
		Empty: "There are no applications yet. Add the first one.",
		About: "Programs that users sign in to, of every user and organization.",
		List:  command("client list"), Items: "/clients", Get: command("client show"),
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Key:    []resource.Key{{Parameter: "client", Pointer: "/client_id"}}, Label: "/name",
		Filters: []resource.Field{{Name: "owner", Title: "Owner"}},
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Type", Pointer: "/type"},
			{Title: "Client ID", Pointer: "/client_id", Kind: resource.Code},
			{Title: "Redirect URIs", Pointer: "/redirects"}, {Title: "Scopes", Pointer: "/scopes"},
			{Title: "Created", Pointer: "/created_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add an application", Shows: true, Call: command("client add"),
				Text: "The client secret is shown once."},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: command("client set"), Fields: []resource.Field{
				{Name: "name", Title: "Name"}, {Name: "redirect", Title: "Redirect URIs", Kind: resource.Lines, From: "/redirects"},
				{Name: "scope", Title: "Scopes", Kind: resource.Lines, From: "/scopes"},
			}},
			shown(dangerous(one("secret", "New client secret", "client secret"), "The old secret ends at once.")),
			dangerous(one("delete", "Delete", "client remove"), "Every token that it was given ends at once."),
		},
	}
}

// credentials are tokens and keys of everybody. They are not issued here: that is the
// user's own page, or the operator's command.
func credentials(name, word, about string) resource.Resource {
	return resource.Resource{
		Name: name, Title: "All " + name, One: "a " + word, Admin: true, Empty: "There are none.",
		About: about,
		List:  command(word + " list"), Items: "/" + name, Get: command(word + " show"),
		Key:     []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Paging:  resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Filters: []resource.Field{{Name: "user", Title: "User"}},
		Columns: []resource.Column{
			{Title: "Number", Pointer: "/id"}, {Title: "Name", Pointer: "/name"}, {Title: "User", Pointer: "/user"},
			{Title: "Kind", Pointer: "/kind"}, {Title: "Services", Pointer: "/services"},
			{Title: "Created", Pointer: "/created_at", Kind: resource.Time},
			{Title: "Expires", Pointer: "/expires_at", Kind: resource.Time},
			{Title: "Last used", Pointer: "/last_used_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			dangerous(one("revoke", "Revoke", word+" revoke"), "Programs that use it are refused at once."),
		},
	}
}

// auditTrail is what administrators and credentials did.
func auditTrail() resource.Resource {
	return resource.Resource{
		Name: "audit", Title: "Audit trail", One: "an entry", Admin: true,
		About: "What administrators and credentials did, newest first. Entries are written with the act itself and " +
			"are kept as long as the setting audit.keep says.",
		Empty: "Nothing on record matches. Clear the filters to see all.",
		List:  command("audit list"), Items: "/entries", Get: command("audit show"),
		Key:    []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Filters: []resource.Field{
			{Name: "actor", Title: "Actor", Help: "a user's name, or operator"},
			{Name: "action", Title: "Action", Help: "such as user.disable, or user for all about users"},
			{Name: "object", Title: "Object", Help: "part of it"},
			{Name: "outcome", Title: "Outcome", Kind: resource.Choice,
				Options: []string{"done", "begun", "refused", "failed"}},
			{Name: "since", Title: "Since", Kind: resource.Time}, {Name: "until", Title: "Until", Kind: resource.Time},
		},
		Columns: []resource.Column{
			{Title: "Time", Pointer: "/at", Kind: resource.Time}, {Title: "Actor", Pointer: "/actor"},
			{Title: "Action", Pointer: "/action", Kind: resource.Code}, {Title: "Object", Pointer: "/object"},
			{Title: "Outcome", Pointer: "/outcome", Kind: resource.State}, {Title: "Detail", Pointer: "/detail"},
			{Title: "Credential", Pointer: "/credential"}, {Title: "Network", Pointer: "/network"},
		},
	}
}

func jobs() resource.Resource {
	return resource.Resource{
		Name: "jobs", Title: "Jobs", One: "a job", Admin: true,
		About: "Background work that is not finished. Dead jobs failed for good and wait for a retry, blocked ones " +
			"wait for the job before them, and suspect ones were held by a process that ended and run alone next. " +
			"Dead jobs are deleted after 30 days.",
		Empty: "No job waits or has failed.",
		Gone:  "A job that has finished is not kept, and a dead one is deleted after 30 days.",
		List:  command("jobs list"), Items: "/jobs", Get: command("jobs show"),
		Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Label: "/kind",
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Filters: []resource.Field{
			{Name: "state", Title: "State", Kind: resource.Choice,
				Options: []string{"ready", "running", "blocked", "suspect", "dead"}},
			{Name: "kind", Title: "Kind", Help: "such as snapshots.render"}, {Name: "owner", Title: "Owner"},
		},
		Columns: []resource.Column{
			{Title: "Job", Pointer: "/id"}, {Title: "Kind", Pointer: "/kind"},
			{Title: "State", Pointer: "/state", Kind: resource.State}, {Title: "Attempt", Pointer: "/attempt"},
			{Title: "Enqueued", Pointer: "/enqueued", Kind: resource.Time},
			{Title: "Next", Pointer: "/next", Kind: resource.Time}, {Title: "Error", Pointer: "/error"},
		},
		Actions: []resource.Action{
			{Name: "retry", Title: "Retry now", One: true, Leaves: true, Call: command("jobs retry"),
				Done: "Job {id} ({kind}) is due now, with all its attempts again."},
			discardJob(),
		},
	}
}

func discardJob() resource.Action {
	a := dangerous(one("discard", "Discard", "jobs discard"), "Its work is not done.")
	a.Done = "Job {id} ({kind}) is deleted."
	return a
}

func schedules() resource.Resource {
	return resource.Resource{
		Name: "schedules", Title: "Schedules", One: "a schedule", Admin: true, Empty: "No work repeats.",
		About: "Work that repeats. Each firing becomes a job.",
		List:  command("jobs schedules"), Items: "/schedules",
		Columns: []resource.Column{
			{Title: "Schedule", Pointer: "/name"}, {Title: "When", Pointer: "/spec", Kind: resource.Code},
			{Title: "Job", Pointer: "/kind"}, {Title: "Next", Pointer: "/next", Kind: resource.Time},
			{Title: "Last", Pointer: "/last", Kind: resource.Time},
		},
	}
}

func deliveries() resource.Resource {
	return resource.Resource{
		Name: "deliveries", Title: "Deliveries", One: "a delivery", Admin: true,
		About: "Messages that services send to addresses outside, newest first.",
		Empty: "No message is on record. Watch a calendar, or add a hook to a repository; those that were delivered are " +
			"forgotten after a while.",
		Gone: "Finished deliveries are deleted after 30 days.",
		List: command("deliveries list"), Items: "/deliveries", Get: command("deliveries show"),
		Key:    []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Paging: resource.Paging{After: "after", Size: "limit", Per: resource.PageRows},
		Filters: []resource.Field{
			{Name: "state", Title: "State", Kind: resource.Choice, Options: []string{"pending", "delivered", "failed"}},
			{Name: "service", Title: "Service"}, {Name: "channel", Title: "Channel"},
		},
		Columns: []resource.Column{
			{Title: "Delivery", Pointer: "/id"}, {Title: "Service", Pointer: "/service"},
			{Title: "Address", Pointer: "/address"}, {Title: "State", Pointer: "/state", Kind: resource.State},
			{Title: "Attempts", Pointer: "/attempts"}, {Title: "Answer", Pointer: "/status"},
			{Title: "Error", Pointer: "/last_error"}, {Title: "Created", Pointer: "/created", Kind: resource.Time},
			{Title: "Next attempt", Pointer: "/next_attempt", Kind: resource.Time},
		},
		Actions: []resource.Action{one("resend", "Send again", "deliveries resend")},
	}
}
