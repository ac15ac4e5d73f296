package events

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/graphql"
)

// query routes take their price from a budget of their own, once it is known.
const query = "graphql"

type queryRequest struct {
	Query         *string        `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// graphRoutes are the two addresses of GraphQL: beside the operations, and where clients
// look for it at a code host of one's own.
func (s *Service) graphRoutes() []route.Route {
	at := func(pattern, name string) route.Route {
		return route.Route{
			Method: "POST", Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody, Timeout: readTimeout,
			Tags: map[string]string{tagLimit: query}, Handle: s.handleQuery,
		}
	}
	return []route.Route{
		at("/graphql", "graphql"), at("/api/graphql", "graphql_enterprise"),
		s.reads("/meta", "get_meta", route.Optional, s.handleMeta),
	}
}

// handleQuery answers a query. What is wrong with it, or with a field, is said with status 200.
func (s *Service) handleQuery(w http.ResponseWriter, r *route.Request) error {
	var in queryRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), largeReply)
	if err != nil {
		return err
	}
	defer memory.Release()
	out, err := s.answerQuery(w, r, in)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// queryFaults is what a query that was not run is answered with.
type queryFaults struct {
	Errors []*graphql.Error `json:"errors"`
}

func (s *Service) answerQuery(w http.ResponseWriter, r *route.Request, in queryRequest) (any, error) {
	var faults []*graphql.Error
	var found *graphql.Operation
	if in.Query == nil {
		faults = []*graphql.Error{{Message: "A query attribute must be specified and must be a string."}}
	} else {
		var err error
		found, faults, err = s.graph.Prepare(graphql.Request{
			Query: *in.Query, OperationName: in.OperationName, Variables: in.Variables,
		})
		if err != nil {
			return nil, err
		}
	}
	left, err := s.chargeQuery(w, r, found, len(faults) > 0)
	if err != nil || len(faults) > 0 {
		return queryFaults{faults}, err
	}
	return s.graph.Answer(r, found, left)
}

// chargeQuery takes what a query is worth. Changes count as they do in REST: by their points, and
// as content when they make something.
func (s *Service) chargeQuery(
	w http.ResponseWriter, r *route.Request, o *graphql.Operation, failed bool,
) (limit.Decision, error) {
	b, err := s.budgetOf(r.Context(), identity.From(r), clientaddr.Network(r.Request))
	if err != nil {
		return limit.Decision{}, err
	}
	b = b.of(query)
	charges := []limit.Charge{{Window: b.window, Key: b.key, Cost: 1}}
	if !failed {
		charges[0].Cost = o.Cost
		charges = append(charges, s.changeCharges(b.key, o.Changes())...)
	}
	decisions, err := s.world.Limits.TakeAll(r.Context(), charges)
	if err != nil {
		err = s.limitError(w, b, decisions, err)
	} else {
		s.setLimitHeaders(w, decisions[0])
	}
	w.Header()["X-Ratelimit-Resource"] = []string{query}
	if len(decisions) == 0 {
		return limit.Decision{}, err
	}
	return decisions[0], err
}

// changeCharges are what the changes of a query cost beside the query itself, which the gate has
// charged as one that only reads.
func (s *Service) changeCharges(key string, changes []string) []limit.Charge {
	if len(changes) == 0 {
		return nil
	}
	var creates int64
	for _, name := range changes {
		if strings.HasPrefix(name, "create") || strings.HasPrefix(name, "add") {
			creates++
		}
	}
	all := s.secondary(key, query, points(http.MethodPost)*int64(len(changes))-1, creates > 0)
	for i := range all[2:] { // behind points and time: content
		all[2+i].Cost = creates
	}
	return all
}
