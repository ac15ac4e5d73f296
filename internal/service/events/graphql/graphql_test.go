package graphql_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/events/graphql"
)

const schemaText = `
type Query {
	tree(size: Int = 3): Tree
	forest(first: Int, after: String, last: Int, before: String): TreeConnection!
	plant: Plant
	broken: String!
	fault: String
	none: [String!]! @none
	height: Int! @always(value: "7")
	echo(in: In, words: [Word!]): String
}
interface Plant { name: String }
type Tree implements Plant { name: String size: Int! child: Tree }
type Stone @absent { weight: Int! }
union Thing = Tree | Stone
enum Word { ASH OAK }
input In { text: String! other: Int }
type TreeConnection { nodes: [Tree] edges: [TreeEdge] totalCount: Int! pageInfo: PageInfo! }
type TreeEdge { node: Tree cursor: String! }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type Mutation { grow: Tree }
`

type tree struct{ size int64 }

var errDisk = errors.New("disk")

func options() graphql.Options {
	return graphql.Options{
		Text: schemaText,
		Fields: graphql.Fields{
			"Query": {
				"tree": func(c *graphql.Call) (any, error) {
					size, _ := c.Int("size")
					return &tree{size}, nil
				},
				"forest": func(c *graphql.Call) (any, error) {
					return c.PageOf([]any{&tree{1}, &tree{2}, &tree{3}, &tree{4}, &tree{5}})
				},
				"plant":  func(*graphql.Call) (any, error) { return &tree{9}, nil },
				"broken": func(*graphql.Call) (any, error) { return nil, &graphql.Error{Type: "GONE", Message: "gone"} },
				"fault":  func(*graphql.Call) (any, error) { return nil, errDisk },
				"echo": func(c *graphql.Call) (any, error) {
					return c.Input("in").Text("text") + strings.Join(c.Texts("words"), "+"), nil
				},
			},
			"Tree": {
				"name":  graphql.Of(func(_ *graphql.Call, t *tree) (any, error) { return "oak", nil }),
				"size":  graphql.Of(func(_ *graphql.Call, t *tree) (any, error) { return t.size, nil }),
				"child": graphql.Of(func(_ *graphql.Call, t *tree) (any, error) { return &tree{t.size - 1}, nil }),
			},
			"PageInfo": graphql.PageInfo(),
			"Mutation": {"grow": func(*graphql.Call) (any, error) { return &tree{1}, nil }},
		},
		TypeOf:  func(any) string { return "Tree" },
		Refused: func(error) *graphql.Error { return nil },
	}
}

func newSchema(t testing.TB) *graphql.Schema {
	t.Helper()
	s, err := graphql.New(options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer runs a query and returns the JSON of the answer.
func answer(t testing.TB, s *graphql.Schema, in graphql.Request) string {
	t.Helper()
	o, faults := s.Prepare(in)
	out := graphql.Response{Errors: faults}
	if len(faults) == 0 {
		var err error
		if out, err = o.Run(t.Context(), nil); err != nil {
			return err.Error()
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := newSchema(t)
	for query, want := range map[string]string{
		"{tree{size name}}":                                        `{"data":{"tree":{"size":3,"name":"oak"}}}`,
		"{b:tree(size:1){size}a:tree{size}}":                       `{"data":{"b":{"size":1},"a":{"size":3}}}`,
		"{tree{size}tree{child{size}}}":                            `{"data":{"tree":{"size":3,"child":{"size":2}}}}`,
		"{tree{...t @skip(if:true) size}}fragment t on Tree{name}": `{"data":{"tree":{"size":3}}}`,
		"{plant{__typename ...on Tree{size}}}":                     `{"data":{"plant":{"__typename":"Tree","size":9}}}`,
		"{none height}":                                            `{"data":{"none":[],"height":7}}`,
		"{forest{totalCount}}":                                     `{"data":{"forest":{"totalCount":5}}}`,
		"{forest(first:2){nodes{size}pageInfo{hasNextPage hasPreviousPage}}}": `{"data":{"forest":{"nodes":[{"size":1},` +
			`{"size":2}],"pageInfo":{"hasNextPage":true,"hasPreviousPage":false}}}}`,
		"{forest(last:2){nodes{size}}}":                       `{"data":{"forest":{"nodes":[{"size":4},{"size":5}]}}}`,
		`{forest(first:1,after:"Y3Vyc29yOjQ="){nodes{size}}}`: `{"data":{"forest":{"nodes":[]}}}`,
		`{forest(last:1,before:"Y3Vyc29yOjI="){nodes{size}}}`: `{"data":{"forest":{"nodes":[{"size":2}]}}}`,
		`{forest(first:1){edges{cursor node{size}}}}`:         `{"data":{"forest":{"edges":[{"cursor":"Y3Vyc29yOjA=","node":{"size":1}}]}}}`,
		"mutation{grow{size}}":                                `{"data":{"grow":{"size":1}}}`,
		`{echo(in:{text:"x"},words:OAK)}`:                     `{"data":{"echo":"xOAK"}}`,
		"{height broken}": `{"data":null,"errors":[{"type":"GONE","path":["broken"],"locations":[{"line":1,"column":9}],` +
			`"message":"gone"}]}`,
		"{fault}": "field Query.fault: disk",
		`{__type(name:"Word"){enumValues{name}}}`: `{"data":{"__type":{"enumValues":[{"name":"ASH"},{"name":"OAK"}]}}}`,
		`{__type(name:"None"){name}}`:             `{"data":{"__type":null}}`,
	} {
		if got := answer(t, s, graphql.Request{Query: query}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", query, got, want)
		}
	}
}

// TestVariables: numbers are as JSON has them, one value stands for a list, and what does not fit
// is refused.
func TestVariables(t *testing.T) {
	t.Parallel()
	s := newSchema(t)
	const query = `query($n:Int,$w:[Word!]=ASH,$i:In){tree(size:$n){size}echo(in:$i,words:$w)}`
	for text, want := range map[string]string{
		`{"n":5}`:                               `"size":5},"echo":"ASH"`,
		`{"n":1,"w":["OAK","ASH"]}`:             `"echo":"OAK+ASH"`,
		`{"n":1,"w":"OAK"}`:                     `"echo":"OAK"`,
		`{"n":1.5}`:                             `"errors"`,
		`{"n":"x"}`:                             `"errors"`,
		`{"n":1,"w":["ELM"]}`:                   `"errors"`,
		`{"n":1,"i":{"other":1}}`:               `"errors"`,
		`{"n":1,"i":{"text":"a","more":true}}`:  `"errors"`,
		`{"n":1,"i":{"text":"a","other":null}}`: `"echo":"aASH"`,
	} {
		var variables map[string]any
		if err := json.Unmarshal([]byte(text), &variables); err != nil {
			t.Fatal(err)
		}
		if got := answer(t, s, graphql.Request{Query: query, Variables: variables}); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestIntrospection asks what tools ask for to show a schema.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	got := answer(t, newSchema(t), graphql.Request{Query: `query IntrospectionQuery{__schema{
		queryType{name}mutationType{name}subscriptionType{name}types{...FullType}
		directives{name description locations args{...InputValue}}}}
		fragment FullType on __Type{kind name description fields(includeDeprecated:true){name description
		args{...InputValue}type{...TypeRef}isDeprecated deprecationReason}inputFields{...InputValue}
		interfaces{...TypeRef}enumValues(includeDeprecated:true){name description isDeprecated deprecationReason}
		possibleTypes{...TypeRef}}
		fragment InputValue on __InputValue{name description type{...TypeRef}defaultValue}
		fragment TypeRef on __Type{kind name ofType{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}`})
	for _, want := range []string{
		`"mutationType":{"name":"Mutation"}`, `"name":"TreeConnection"`, `"defaultValue":"3"`, `"name":"skip"`,
		`"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"Int"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %.400s", want, got)
		}
	}
	for _, hidden := range []string{`"name":"always"`, `"errors"`, `"name":"__schema"`} {
		if strings.Contains(got, hidden) {
			t.Errorf("%s is shown", hidden)
		}
	}
}

// TestUnansweredFields: a schema whose fields have no answer, or two, is refused.
func TestUnansweredFields(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*graphql.Options){
		"Tree.size has no resolver":  func(o *graphql.Options) { delete(o.Fields["Tree"], "size") },
		"Query.more is resolved":     func(o *graphql.Options) { o.Fields["Query"]["more"] = o.Fields["Query"]["tree"] },
		"has a resolver and a fixed": func(o *graphql.Options) { o.Fields["Query"]["none"] = o.Fields["Query"]["tree"] },
		"value that is not a number": func(o *graphql.Options) { o.Text = strings.Replace(o.Text, `"7"`, `"x"`, 1) },
		"read the schema":            func(o *graphql.Options) { o.Text = "type" },
	} {
		o := options()
		change(&o)
		if _, err := graphql.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestLongAnswers: an answer is bounded by its length too, names of the query's own included.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 20<<10)
	wide := "fragment f on TreeConnection{nodes{" + long + ":size}}{"
	for i := range 99 {
		wide += "b" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ":forest(first:5){...f}"
	}
	got := answer(t, newSchema(t), graphql.Request{Query: wide + "}"})
	if !strings.Contains(got, graphql.TypeMaxResources) || !strings.Contains(got, "more work") {
		t.Errorf("10 MB of names: %.200s", got)
	}
}
