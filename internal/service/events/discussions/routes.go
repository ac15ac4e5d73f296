package discussions

import "stoa.dev/stoa/internal/platform/route"

const (
	repo  = "/repos/{owner}/{repo}"
	issue = repo + "/issues/{number}"
	pull  = repo + "/pulls/{number}"
)

// Routes are the operations.
func (d *Discussions) Routes() []route.Route {
	read, large, change := d.host.Read, d.host.ReadLarge, d.host.Change
	return []route.Route{
		read(repo+"/issues", "list_issues", d.handleIssues),
		change("POST", repo+"/issues", "create_issue", d.handleCreateIssue),
		read(issue, "get_issue", d.handleIssue),
		change("PATCH", issue, "update_issue", d.handleUpdateIssue),
		read(issue+"/labels", "list_labels_of_issue", d.handleIssueLabels),
		change("POST", issue+"/labels", "add_labels", d.handleAddLabels),
		change("DELETE", issue+"/labels/{name}", "remove_label", d.handleRemoveLabel),
		read(repo+"/labels", "list_labels", d.handleLabels),
		change("POST", repo+"/labels", "create_label", d.handleCreateLabel),
		read(repo+"/labels/{name}", "get_label", d.handleLabel),
		change("PATCH", repo+"/labels/{name}", "update_label", d.handleUpdateLabel),
		change("DELETE", repo+"/labels/{name}", "delete_label", d.handleDeleteLabel),

		read(repo+"/issues/comments", "list_issue_comments", d.handleAllComments),
		read(issue+"/comments", "list_comments_of_issue", d.handleComments),
		change("POST", issue+"/comments", "create_comment", d.handleCreateComment),
		read(repo+"/issues/comments/{id}", "get_comment", d.handleComment),
		change("PATCH", repo+"/issues/comments/{id}", "update_comment", d.handleUpdateComment),
		change("DELETE", repo+"/issues/comments/{id}", "delete_comment", d.handleDeleteComment),

		read(repo+"/comments", "list_commit_comments", d.handleAllCommitComments),
		read(repo+"/commits/{ref}/comments", "list_comments_of_commit", d.handleCommitComments),
		change("POST", repo+"/commits/{ref}/comments", "create_commit_comment", d.handleCreateCommitComment),
		read(repo+"/comments/{id}", "get_commit_comment", d.handleCommitComment),
		change("PATCH", repo+"/comments/{id}", "update_commit_comment", d.handleUpdateCommitComment),
		change("DELETE", repo+"/comments/{id}", "delete_commit_comment", d.handleDeleteCommitComment),

		read(repo+"/pulls", "list_pulls", d.handlePulls),
		change("POST", repo+"/pulls", "create_pull", d.handleCreatePull),
		large(pull, "get_pull", d.handlePull),
		change("PATCH", pull, "update_pull", d.handleUpdatePull),
		large(pull+"/commits", "list_pull_commits", d.handlePullCommits),
		large(pull+"/files", "list_pull_files", d.handlePullFiles),
		read(pull+"/merge", "check_merged", d.handleMerged),
		change("PUT", pull+"/merge", "merge_pull", d.handleMerge),

		read(pull+"/reviews", "list_reviews", d.handleReviews),
		change("POST", pull+"/reviews", "create_review", d.handleCreateReview),
		read(pull+"/reviews/{id}", "get_review", d.handleReview),
		change("PUT", pull+"/reviews/{id}", "update_review", d.handleUpdateReview),
		change("PUT", pull+"/reviews/{id}/dismissals", "dismiss_review", d.handleDismissReview),
		read(pull+"/reviews/{id}/comments", "list_comments_of_review", d.handleReviewComments),
		read(repo+"/pulls/comments", "list_review_comments", d.handleAllLineComments),
		read(pull+"/comments", "list_comments_of_pull", d.handleLineComments),
		change("POST", pull+"/comments", "create_review_comment", d.handleCreateLineComment),
		read(repo+"/pulls/comments/{id}", "get_review_comment", d.handleLineComment),
		change("PATCH", repo+"/pulls/comments/{id}", "update_review_comment", d.handleUpdateLineComment),
		change("DELETE", repo+"/pulls/comments/{id}", "delete_review_comment", d.handleDeleteLineComment),
	}
}
