// Package tasks keeps task lists and the tasks in them (service C).
//
//	DELETE /tasks/v1/users/@me/lists/{tasklist}             tasklists.delete
//	GET    /tasks/v1/users/@me/lists/{tasklist}             tasklists.get
//	POST   /tasks/v1/users/@me/lists                        tasklists.insert
//	GET    /tasks/v1/users/@me/lists                        tasklists.list
//	PATCH  /tasks/v1/users/@me/lists/{tasklist}             tasklists.patch
//	PUT    /tasks/v1/users/@me/lists/{tasklist}             tasklists.update
//	POST   /tasks/v1/lists/{tasklist}/clear                 tasks.clear
//	DELETE /tasks/v1/lists/{tasklist}/tasks/{task}          tasks.delete
//	GET    /tasks/v1/lists/{tasklist}/tasks/{task}          tasks.get
//	POST   /tasks/v1/lists/{tasklist}/tasks                 tasks.insert
//	GET    /tasks/v1/lists/{tasklist}/tasks                 tasks.list
//	POST   /tasks/v1/lists/{tasklist}/tasks/{task}/move     tasks.move
//	PATCH  /tasks/v1/lists/{tasklist}/tasks/{task}          tasks.patch
//	PUT    /tasks/v1/lists/{tasklist}/tasks/{task}          tasks.update
//
// Every user has lists of their own; those of others answer 404. The list
// @default is there from the first call on and cannot be deleted. The order of
// siblings is a text (sibling_rank.go); between two such texts there is always another
// one, so inserting and moving rewrites no other task, but for the rare case that
// the text becomes too long.
//
// Failures answer {"error":{code,message,status,errors[]}} (platform/fault).
//
// # Where the contract is silent we decided
//
//   - C-N1: a list has kind, id, etag, title, updated and selfLink. A task has
//     kind, id, etag, title, updated, selfLink, webViewLink, parent, position,
//     notes, status (needsAction or completed), due, completed, deleted, hidden
//     and links. The completed marker is status; completed is the time.
//   - C-N2: tasks.list takes showCompleted (true), showHidden (false),
//     showDeleted (false), dueMin, dueMax (exclusive), completedMin,
//     completedMax, updatedMin, maxResults (20, at most 100) and pageToken;
//     tasklists.list maxResults (1000, at most 1000) and pageToken; a larger
//     maxResults is lowered. insert and move take parent and previous, move
//     destinationTasklist too. A list comes back in order: the top level first,
//     then the children of each task. A page token is bound to its filters.
//   - C-N3: a bearer token of the scope tasks or, for reading, tasks.readonly,
//     says who @me is.
//   - C-N4: 400 INVALID_ARGUMENT, 401, 403 (scope, or a limit is reached:
//     quotaExceeded), 404 NOT_FOUND, 405, 412 (If-Match), 413, 429. Titles over
//     1024 and notes over 8192 characters, more than 2000 lists, 20,000 visible
//     tasks a list, 100,000 tasks a user or 2000 children a task are refused,
//     never cut.
//   - C-N5: a task is needsAction or completed, and may be hidden (cleared) or
//     deleted in addition; completing sets the time, reopening removes it and shows
//     the task again. No events are emitted. A user may make 50,000 requests a
//     day (requests_per_day). Members are only ever added to answers.
//   - C-N6: success is 200 with the resource, and 204 for delete and clear.
//     patch changes the members that are sent and null clears one; update
//     replaces all that can be written. parent and position in a body are
//     ignored: move changes them.
//   - Completing a task completes what is open below it; reopening one leaves the
//     others as they are. So a child can be open again below a completed parent, and
//     showCompleted=false lists it without that parent. Nothing else does: the parent
//     of a task that is shown is never hidden or deleted, as move demands of a new
//     parent. clear puts what is open below the tasks that it hides in front at the
//     top level, and a cleared task that is reopened below a cleared parent goes there
//     too.
//   - clear hides completed tasks, and delete marks a task and its children as
//     deleted: both are still listed when asked for, but get answers 404 for a
//     deleted task. A change with deleted: false brings it back with what was
//     deleted together with it, at the top level if its parent is gone; any other
//     change of it is 404. webViewLink leads to a page of the list, on which its owner
//     signs in. Parameters and members that no operation has change nothing: clients
//     send back whole tasks, with members that are not written.
//     Deleted tasks are removed after 30 days (deleted_life), and
//     the oldest at once when they and the others are more than max_tasks.
//   - due is a day: the time of day that is sent is dropped. A hidden task's
//     position sorts behind the open ones, the latest completed first.
package tasks
