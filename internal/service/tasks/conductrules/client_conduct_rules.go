package conductrules

import "stoa.dev/stoa/internal/platform/conduct"

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	pages := conduct.Pages{
		Operations: []string{"tasklists.list", "tasks.list"},
		Param:      "pageToken", Member: "/nextPageToken", Size: "maxResults",
	}
	return []conduct.Rule{
		{
			ID: "tasks.pages-left", Severity: conduct.Warning, Title: "Read on while there is a nextPageToken",
			Why: "A client that takes the first page for the list loses tasks in silence as soon as there are more than " +
				"twenty.",
			Contract: "C-12: list returns all tasks of the list; where they do not fit a page, nextPageToken names the next.",
			Example:  "GET …/tasks answers with a nextPageToken, and no request has it.",
			New:      pages.Left(),
		},
		{
			ID: "tasks.page-twice", Severity: conduct.Warning, Title: "Ask for each page once",
			Why:      "A page that is read twice is counted twice, and a loop that does so may never end.",
			Contract: "C-12: each page names the one that follows it.",
			Example:  "The same pageToken is sent twice without beginning the list again.",
			New:      pages.Twice(),
		},
		{
			ID: "tasks.etag", Severity: conduct.Info, Title: "Ask with If-None-Match for what is there already",
			Why:      "The answer is made and sent whole although nothing changed.",
			Contract: "docs/services/tasks.md: answers carry an ETag, and If-None-Match with it gives 304.",
			Example:  "GET …/tasks is asked three times and answered with the same ETag each time.",
			New:      conduct.Conditional(2),
		},
		{
			ID: "tasks.insert-repeated", Severity: conduct.Warning, Title: "Look before inserting again",
			Why:      "An insert whose answer was lost may have been done: a blind repeat makes a second task.",
			Contract: "C-04, C-11: every insert creates; no key tells a repeat from a new task.",
			Example:  "POST …/tasks is cut off before its answer and sent again with the same body.",
			New:      conduct.RepeatsSafely(nil, "tasks.insert", "tasklists.insert"),
		},
		{
			ID: "tasks.version", Severity: conduct.Info, Title: "Update with If-Match",
			Why: "PUT replaces the whole task: without the version, changes made meanwhile elsewhere are lost.",
			Contract: "C-07, C-15: update replaces the resource; docs/services/tasks.md: If-Match with its etag " +
				"refuses a stale one.",
			Example: "PUT …/tasks/{task} without If-Match after another client changed the task.",
			New:     conduct.Versioned("tasks.update", "tasklists.update"),
		},
	}
}
