package operation

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Host is what the service does for an operation.
type Host struct {
	DB       *database.DB
	Forge    *forge.Forge
	Identity *identity.Identity
	Now      func() time.Time
	// Base is what links begin with.
	Base func(*route.Request) string
	// Repository is the one of the path and what the caller may do with it. What the
	// caller may not see is not found.
	Repository func(*route.Request) (forge.Repository, forge.Permission, error)
	// Organization is the one of the path, for an owner of it.
	Organization func(*route.Request) (forge.Owner, error)
	// Repos are repositories as the caller sees them, with what is counted.
	Repos func(*route.Request, []forge.Repository) ([]objects.Repo, error)
	// Later reports whether the caller asks for a version from 2026-03-10 on.
	Later func(*route.Request) bool
	// Page is the part of a list that is asked for.
	Page func(*route.Request) Page
	// Record writes an event in the transaction of what it tells of.
	Record func(context.Context, *database.Tx, Event) error
	// Read and ReadLarge make the route of an operation that reads; those of ReadLarge
	// share the memory for content. Change makes the route of one that changes.
	Read, ReadLarge func(pattern, name string, handle Handler) route.Route
	Change          func(method, pattern, name string, handle Handler) route.Route
}

// WriteBeside runs a change of what belongs to a subject's repository, which is brought up to date first; nothing is
// written for one that was deleted since it was found. The changes of one repository exclude each other below a key.
func (h *Host) WriteBeside(ctx context.Context, key string, s *Subject, fn database.TxFunc) error {
	id := s.Repo.ID
	return h.DB.WriteKeyed(ctx, key+"/"+strconv.FormatInt(id, 10), func(ctx context.Context, tx *database.Tx) error {
		now, err := h.Forge.Hold(ctx, tx, id)
		if err != nil {
			return refusal.FromForge(err)
		}
		s.Repo = now
		return fn(ctx, tx)
	})
}

// Event is something that the feeds tell.
type Event struct {
	Type       string
	Repository forge.Repository
	Actor      forge.Actor
	// Facts are what the payload is made of.
	Facts any
	At    time.Time
}

// Page is a part of a list.
type Page struct {
	Size   int
	Offset int64
}

// Handler is an operation.
type Handler func(r *route.Request) (Result, error)

// Result is what an operation answers.
type Result struct {
	// Status is 200 when it is zero.
	Status int
	// Body is nil for an answer without one.
	Body any
	// Raw is text that is sent as it is, in place of Body.
	Raw []byte
	// List says that Body is a page of a list of Total entries.
	List     bool
	Total    int64
	Location string
}

// OK answers with an object.
func OK(body any) Result { return Result{Body: body} }

// Created answers with a new object and where it is.
func Created(body any, location string) Result {
	return Result{Status: http.StatusCreated, Body: body, Location: location}
}

// Empty answers that it is done.
func Empty() Result { return Result{Status: http.StatusNoContent} }

// ListOf answers with a page of a list.
func ListOf(page any, total int64) Result { return Result{Body: page, List: true, Total: total} }

// Subject is a repository, who asks, and what links begin with.
type Subject struct {
	Repo   forge.Repository
	May    forge.Permission
	Caller *identity.Caller
	Actor  forge.Actor
	Base   string
	Later  bool
}

// Reading is the subject of an operation that reads. A private repository takes one of
// the scopes.
func (h *Host) Reading(r *route.Request, scopes ...string) (Subject, error) {
	s, err := h.subject(r)
	if err == nil {
		err = s.MayRead(scopes...)
	}
	return s, err
}

// Changing is the subject of an operation that changes, by a caller who has the scope
// and at least the permission.
func (h *Host) Changing(r *route.Request, need forge.Permission, scope string) (Subject, error) {
	s, err := h.subject(r)
	if err == nil {
		err = s.MayChange(need, scope)
	}
	return s, err
}

func (h *Host) subject(r *route.Request) (Subject, error) {
	repo, may, err := h.Repository(r)
	return h.SubjectOf(r, repo, may), err
}

// SubjectOf is a repository that the path does not name, and what the caller may do with it.
func (h *Host) SubjectOf(r *route.Request, repo forge.Repository, may forge.Permission) Subject {
	caller := identity.From(r)
	return Subject{Repo: repo, May: may, Caller: caller, Actor: actorOf(caller), Base: h.Base(r), Later: h.Later(r)}
}

// MayRead refuses a token that has none of the scopes, if the repository is private.
func (s Subject) MayRead(scopes ...string) error {
	if !s.Repo.Private {
		return nil
	}
	return hasScope(s.Caller, scopes)
}

// MayChange refuses a token without the scope, and a caller without the permission.
func (s Subject) MayChange(need forge.Permission, scope string) error {
	if err := hasScope(s.Caller, []string{scope}); err != nil {
		return err
	}
	if s.May < need {
		return refusal.Forbidden("Must have %s rights to Repository.", need)
	}
	return nil
}

// actorOf is who acts. A token of one repository does nothing in the name of the user
// who had it issued.
func actorOf(c *identity.Caller) forge.Actor {
	if c != nil && (c.Kind == identity.KindWorkflow || c.Kind == identity.KindProject) {
		return forge.TokenActor(c.Kind)
	}
	return forge.ActorOf(c)
}

func hasScope(c *identity.Caller, scopes []string) error {
	for _, scope := range scopes {
		if c.HasScope(scope) {
			return nil
		}
	}
	return refusal.MissingScope(scopes[0])
}

// URL is the address of the repository.
func (s Subject) URL() string { return s.Base + "/repos/" + s.Repo.FullName() }

// Number reads a number of the path; what is none names nothing.
func Number(r *route.Request, name string) (int64, error) {
	n, err := strconv.ParseUint(r.PathValue(name), 10, 63)
	if err != nil || n == 0 {
		return 0, refusal.NotFound()
	}
	return int64(n), nil
}
