package graphql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/events/graphql"
)

// FuzzQueries reads and runs any text with any variables: it ends, in an answer or in faults.
func FuzzQueries(f *testing.F) {
	for _, query := range []string{
		"{tree{size name child{size}}}", "query($n:Int){tree(size:$n){size}}", "{forest(first:2){edges{cursor node{size}}}}",
		"{...f}fragment f on Query{...f}", "{a:tree(size:99999999999999999999){size}}", `{__type(name:"Tree"){fields{name}}}`,
		"mutation{grow{size}}", `{echo(in:{text:"\u0000",other:-1},words:[OAK])}`, "{" + strings.Repeat("tree{child", 30),
		"query A{height}query B{height}", "subscription{x}", `"""doc""" {height}`, "{tree @skip(if:$x){size}}",
		"{plant{...on Tree{size} ...on Stone{weight}}}", "{forest(last:1,before:\"Y3Vyc29yOjI=\"){pageInfo{endCursor}}}",
	} {
		f.Add(query, `{"n":1}`, "")
		f.Add(query, `{"n":[{"x":1e400}],"x":null}`, "B")
	}
	s := newSchema(f)
	f.Fuzz(func(t *testing.T, query, variables, name string) {
		in := graphql.Request{Query: query, OperationName: name}
		if json.Unmarshal([]byte(variables), &in.Variables) != nil {
			in.Variables = nil
		}
		o, faults := s.Prepare(in)
		if len(faults) > 0 {
			if _, err := json.Marshal(faults); err != nil {
				t.Fatal(err)
			}
			return
		}
		if o.Nodes > 500_000 || o.Cost < 1 {
			t.Fatalf("%d nodes for %d points", o.Nodes, o.Cost)
		}
		o.Changes()
		out, err := o.Run(t.Context(), nil)
		if err != nil && !strings.HasSuffix(err.Error(), "disk") {
			t.Fatal(err)
		}
		if _, err := json.Marshal(out); err != nil {
			t.Fatal(err)
		}
	})
}
