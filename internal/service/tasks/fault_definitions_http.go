package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/module"
)

// faultDefinitions are the refusals of the service by name.
func faultDefinitions() []module.Fault {
	onTask := []string{"tasks.get", "tasks.delete", "tasks.patch", "tasks.update", "tasks.move"}
	inList := append([]string{
		"tasklists.get", "tasklists.delete", "tasklists.patch", "tasklists.update", "tasks.list", "tasks.insert",
		"tasks.clear",
	}, onTask...)
	changing := []string{"tasklists.patch", "tasklists.update", "tasklists.delete", "tasks.patch", "tasks.update"}
	refused := func(name, description string, status int, err *Error, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	return []module.Fault{
		refused("list_not_found", "The task list does not exist or belongs to another user.",
			http.StatusNotFound, errNotFound("there is no such task list"), inList...),
		refused("task_not_found", "The task does not exist, or no longer.",
			http.StatusNotFound, errNotFound("there is no such task"), onTask...),
		refused("etag_mismatch", "The resource has changed since it was read: If-Match does not hold any more.",
			http.StatusPreconditionFailed, errChanged(), changing...),
		refused("list_quota_exceeded", "The user has as many task lists as one may have.",
			http.StatusForbidden, errQuota("you have as many task lists as you may"), "tasklists.insert"),
		refused("task_quota_exceeded", "The list has as many tasks as one may have.",
			http.StatusForbidden, errQuota("the list has as many tasks as it may"), "tasks.insert", "tasks.move"),
		refused("page_token_invalid", "The page token is not one of this list and these filters, or no longer.",
			http.StatusBadRequest, errInvalidField("pageToken", "is not one of this list and these filters"),
			"tasks.list", "tasklists.list"),
		refused("parent_invalid", "The parent is not a visible task of the list any more.",
			http.StatusBadRequest, errInvalidField("parent", "must be a visible task of the list"),
			"tasks.insert", "tasks.move"),
		refused("previous_invalid", "The previous task is not a sibling any more.",
			http.StatusBadRequest, errInvalidField("previous", "must be a visible task with the same parent"),
			"tasks.insert", "tasks.move"),
	}
}
