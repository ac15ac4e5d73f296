package events

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/service/events/apps"
	"stoa.dev/stoa/internal/service/events/operation"
)

// How a route is counted, in addition to what every request costs.
const (
	tagLimit = "limit"
	// conditional routes count themselves: an answer of 304 is free.
	conditional = "conditional"
	// free routes use no primary budget.
	free = "free"
	// content routes create something.
	content = "content"
)

const timeout = 10 * time.Second

const maxBody = 512 << 10 // far above the largest payload an event may have

// routes is the operation table: the contract's feeds, the three it omits, the state of the
// limits, the repositories themselves, and the pictures that answers name.
func (s *Service) routes() []route.Route {
	return append(slices.Concat(
		s.feedRoutes(), s.repositoryRoutes(), s.userRoutes(), s.repoListRoutes(), s.starRoutes(), s.memberRoutes(),
		s.commitRoutes(), s.refRoutes(), s.contentRoutes(), s.absentRoutes(), s.graphRoutes(),
		s.apps.Routes(), asksFirst(s.discussions.Routes()), asksFirst(s.releases.Routes()),
		s.hooks.Routes(), s.oauth.Routes()),
		route.Route{
			Method: "GET", Pattern: "/rate_limit", Name: "rate_limit", Access: route.Optional,
			Tags: map[string]string{tagLimit: free}, Handle: s.handleRateLimit,
		},
		route.Route{
			Method: "GET", Pattern: "/versions", Name: "versions", Access: route.Optional, Handle: s.handleVersions,
		},
		picture("/avatars/u/{id}", "get_avatar", handleAvatar("")),
		picture("/avatars/o/{id}", "get_org_avatar", handleAvatar("org ")),
	)
}

func picture(pattern, name string, handle route.Handler) route.Route {
	tags := map[string]string{tagLimit: free}
	return route.Route{Method: "GET", Pattern: pattern, Name: name, Tags: tags, Handle: handle}
}

func (s *Service) feedRoutes() []route.Route {
	list := func(pattern, name string, handle route.Handler) route.Route {
		return route.Route{
			Method: "GET", Pattern: pattern, Name: name, Access: route.Optional,
			Tags: map[string]string{tagLimit: conditional}, Handle: handle,
		}
	}
	return []route.Route{
		list("/events", "list_public_events", s.handlePublicEvents),
		list("/networks/{owner}/{repo}/events", "list_network_events", s.handleNetworkEvents),
		list("/orgs/{org}/events", "list_org_events", s.handleOrgEvents),
		list("/repos/{owner}/{repo}/events", "list_repo_events", s.handleRepoEvents),
		list("/repositories/{id}/events", "list_repo_events_by_id", s.handleRepoEventsByID),
		list("/users/{username}/events", "list_user_events", s.handleUserEvents),
		list("/users/{username}/events/orgs/{org}", "list_user_org_events", s.handleUserOrgEvents),
		list("/users/{username}/events/public", "list_user_public_events", s.handleUserPublicEvents),
		list("/users/{username}/received_events", "list_received_events", s.handleReceivedEvents),
		list("/users/{username}/received_events/public", "list_received_public_events", s.handleReceivedPublicEvents),
	}
}

func (s *Service) repositoryRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	change := func(method, pattern, name, class string, handle route.Handler) route.Route {
		return route.Route{
			Method: method, Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody,
			Tags: map[string]string{tagLimit: class}, Handle: handle,
		}
	}
	return []route.Route{
		s.reads(repo, "get_repo", route.Optional, s.handleRepo),
		s.reads("/repositories/{id}", "get_repo_by_id", route.Optional, s.handleRepoByID),
		change("POST", "/user/repos", "create_repo", content, s.handleCreateRepo),
		change("POST", "/orgs/{org}/repos", "create_org_repo", content, s.handleCreateOrgRepo),
		change("PATCH", repo, "update_repo", "", s.handleUpdateRepo),
		change("DELETE", repo, "delete_repo", "", s.handleDeleteRepo),
		change("POST", repo+"/forks", "fork_repo", content, s.handleForkRepo),
		change("POST", repo+"/events", "add_event", content, s.handleAddEvent),
		change("PUT", repo+"/collaborators/{username}", "add_collaborator", content, s.handleAddCollaborator),
		change("DELETE", repo+"/collaborators/{username}", "remove_collaborator", "", s.handleRemoveCollaborator),
		change("PUT", "/user/starred/{owner}/{repo}", "star_repo", "", s.handleStar),
		change("DELETE", "/user/starred/{owner}/{repo}", "unstar_repo", "", s.handleUnstar),
	}
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   s.writeError,
		Extract:      operation.ExtractCredential,
		Authenticate: s.authenticate,
		Before:       s.before,
		Gate:         s.gate,
		CORS:         &route.CORS{Expose: s.words.exposed, MaxAge: 24 * time.Hour},
		Timeout:      timeout,
	})
}

// authenticate resolves what operation.ExtractCredential has read.
func (s *Service) authenticate(ctx context.Context, c credential.Credential) (route.Caller, error) {
	token := s.identity.Authenticator(Name)
	if c.Style != "basic" {
		if apps.IsToken(c.Value) {
			return s.authenticateApp(ctx, c.Value)
		}
		return token(ctx, c)
	}
	caller, err := s.identity.ClientAuthenticator()(ctx, c)
	var unknown *route.CredentialError
	if !errors.As(err, &unknown) {
		return caller, err
	}
	if c.Second == "" || c.Second == "x-oauth-basic" {
		c.Second = c.Value
	}
	return token(ctx, credential.Credential{Style: "bearer", Value: c.Second})
}

// authenticateApp resolves the proof of an app's private key.
func (s *Service) authenticateApp(ctx context.Context, token string) (route.Caller, error) {
	caller, err := s.apps.Authenticate(ctx, token)
	if err != nil {
		return nil, identity.CredentialError(err)
	}
	return caller, nil
}
