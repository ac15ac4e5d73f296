package events

import "stoa.dev/stoa/internal/platform/route"

// absentRoutes are the lists of what a repository cannot have here. They are empty
// for those who may see the repository: its object names them, and a client that
// goes on from there learns that there is nothing.
func (s *Service) absentRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	list := func(path, name string, handle reader) route.Route {
		return s.reads(repo+path, name, route.Optional, handle)
	}
	return []route.Route{
		list("/deployments", "list_deployments", s.handleNoneOfRepo),
		list("/downloads", "list_downloads", s.handleNoneOfRepo),
		list("/issues/events", "list_issue_events", s.handleNoneOfRepo),
		list("/issues/{number}/events", "list_events_of_issue", s.handleNoneOfRepo),
		list("/keys", "list_deploy_keys", s.handleNoneOfRepo),
		list("/milestones", "list_milestones", s.handleNoneOfRepo),
		list("/notifications", "list_notifications", s.handleNoneOfRepo),
		list("/statuses/{sha}", "list_statuses", s.handleNoneOfRepo),
		list("/teams", "list_teams", s.handleNoneOfRepo),
	}
}

func (s *Service) handleNoneOfRepo(r *route.Request) (reply, error) {
	_, _, err := s.plainRepository(r)
	return s.listReply(r, []struct{}{}, listPage(r), 0), err
}
