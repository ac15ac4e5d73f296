package graphqlobjects

import (
	_ "embed"
	"fmt"
	"maps"
	"sync"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/releases"
)

//go:embed schema.graphql
var schemaText string

// What the work behind a field takes, in steps; a field itself takes one. A page of a hundred
// pull requests can be asked for what each changes, which takes git three looks.
const (
	storeSteps = 50
	gitSteps   = 3000
)

// Options are what objects are made of; all are needed.
type Options struct {
	Host        operation.Host
	Access      *access.Rules
	Discussions *discussions.Discussions
	Releases    *releases.Releases
}

// Graph answers queries about the code host.
type Graph struct {
	Options
	// schema is read by the first query: it takes milliseconds, and most worlds see no query.
	schema func() (*graphql.Schema, error)
}

// New makes the graph.
func New(o Options) *Graph { return &Graph{Options: o, schema: sync.OnceValues(readSchema)} }

func readSchema() (*graphql.Schema, error) {
	schema, err := graphql.New(graphql.Options{
		Text: schemaText, Fields: fields(), TypeOf: typeOf, Refused: refused,
	})
	if err != nil {
		return nil, fmt.Errorf("schema of the code host: %w", err)
	}
	return schema, nil
}

// Prepare reads and checks a query. What is wrong with it comes back as faults; an error is a fault of the schema.
func (g *Graph) Prepare(in graphql.Request) (*graphql.Operation, []*graphql.Error, error) {
	schema, err := g.schema()
	if err != nil {
		return nil, nil, err
	}
	operation, faults := schema.Prepare(in)
	return operation, faults, nil
}

// Answer runs a query for the caller of a request; budget is what is left of the limit.
func (g *Graph) Answer(r *route.Request, o *graphql.Operation, budget limit.Decision) (graphql.Response, error) {
	return o.Run(r.Context(), &request{
		graph: g, http: r, caller: identity.From(r), base: g.Host.Base(r), budget: budget,
		users: map[int64]identity.User{}, labels: map[int64][]discussions.Label{},
		numbers: map[int64]forge.Numbers{}, latest: map[int64]int64{},
	})
}

// request is one query while it is answered, and what it has looked up.
type request struct {
	graph  *Graph
	http   *route.Request
	caller *identity.Caller
	base   string
	budget limit.Decision

	users   map[int64]identity.User
	labels  map[int64][]discussions.Label
	numbers map[int64]forge.Numbers
	latest  map[int64]int64
}

func requestOf(c *graphql.Call) *request {
	r, _ := c.Root.(*request) // Answer puts nothing else there
	return r
}

// fields are the resolvers of all types.
func fields() graphql.Fields {
	out := graphql.Fields{
		"PageInfo": graphql.PageInfo(),
		"Query":    queryFields(), "RateLimit": rateLimitFields(),
		"Repository": repositoryFields(), "Language": languageFields(), "LanguageEdge": languageEdgeFields(),
		"User": userFields(), "Organization": organizationFields(), "Bot": botFields(),
		"Label": labelFields(), "Issue": issueFields(), "PullRequest": pullFields(), "IssueComment": commentFields(),
		"PullRequestReview": reviewFields(), "PullRequestChangedFile": fileFields(),
		"PullRequestCommit": pullCommitFields(), "Commit": commitFields(), "GitActor": gitActorFields(),
		"Ref": refFields(), "Comparison": comparisonFields(), "Release": releaseFields(),
		"SearchResultItemConnection": {
			"issueCount": graphql.Of(func(_ *graphql.Call, c *graphql.Connection) (any, error) { return c.Total, nil }),
		},
		"Mutation": mutationFields(),
	}
	maps.Copy(out, payloadFields())
	return out
}

// typeOf is the type of a value where the schema leaves it open.
func typeOf(value any) string {
	switch v := value.(type) {
	case *repository:
		return "Repository"
	case *issue:
		if v.Pull != nil {
			return "PullRequest"
		}
		return "Issue"
	case *user:
		return "User"
	case *organization:
		return "Organization"
	case *bot:
		return "Bot"
	case *label:
		return "Label"
	case *comment:
		return "IssueComment"
	case *review:
		return "PullRequestReview"
	case *release:
		return "Release"
	case *commit:
		return "Commit"
	case *ref:
		return "Ref"
	}
	return ""
}

// orNull is null for an empty text.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
