package events

import "stoa.dev/stoa/internal/platform/route"

// absentRoutes are the lists of what a repository cannot have here. They are empty
// for those who may see the repository: its object names them, and a client that
// goes on from there learns that there is nothing.
func (s *Service) absentRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	list := func(path, name string) route.Route {
		return s.reads(repo+path, name, route.Optional, s.readNoneOfRepo)
	}
	return []route.Route{
		list("/comments", "list_commit_comments"),
		list("/commits/{ref}/comments", "list_comments_of_commit"),
		list("/deployments", "list_deployments"),
		list("/downloads", "list_downloads"),
		list("/hooks", "list_hooks"),
		list("/issues", "list_issues"),
		list("/issues/comments", "list_issue_comments"),
		list("/issues/events", "list_issue_events"),
		list("/keys", "list_deploy_keys"),
		list("/labels", "list_labels"),
		list("/milestones", "list_milestones"),
		list("/notifications", "list_notifications"),
		list("/pulls", "list_pulls"),
		list("/releases", "list_releases"),
		list("/statuses/{sha}", "list_statuses"),
		list("/teams", "list_teams"),
	}
}

func (s *Service) readNoneOfRepo(r *route.Request) (reply, error) {
	_, _, err := s.plainRepository(r)
	return s.listReply(r, []struct{}{}, listPage(r), 0), err
}
