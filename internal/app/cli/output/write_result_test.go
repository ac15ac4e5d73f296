package output

import (
	"strings"
	"testing"
)

func TestPrintText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"columns of all rows": {
			`{"keys":[{"id":"a","state":"current"},{"id":"b","state":"destroyed","destroyed":"2026"}]}`,
			"ID  STATE      DESTROYED\na   current    \nb   destroyed  2026\n",
		},
		"a member between others":  {`[{"a":1,"c":2},{"a":1,"b":3,"c":4}]`, "A  B  C\n1     2\n1  3  4\n"},
		"a page":                   {`{"nextPageToken":"3","requests":[{"id":"a"}]}`, "ID\na\nthere are more: go on with --page-token 3\n"},
		"nothing of what was done": {`{"added":[]}`, "nothing added\n"},
		"nothing that happened":    {`{"ran":[],"forbidden":[]}`, "nothing ran\nnothing forbidden\n"},
		"a long object": {
			`{"name":"x","env":{"STOA_URL":"` + strings.Repeat("u", 90) + `","STOA_USER":"ada"}}`,
			"name  x\nenv\n  STOA_URL   " + strings.Repeat("u", 90) + "\n  STOA_USER  ada\n",
		},
		"a long list in a row": {
			`[{"name":"x","operations":["` + strings.Repeat("o", 60) + `","` + strings.Repeat("p", 60) + `"]}]`,
			"NAME        x\nOPERATIONS  " + strings.Repeat("o", 60) + "\n            " + strings.Repeat("p", 60) + "\n",
		},
		"members in another order": {`[{"a":1,"b":2},{"b":3,"a":4}]`, "A  B\n1  2\n4  3\n"},
		"an empty list":            {`{"deliveries":[]}`, "no deliveries\n"},
		"empty lists among others": {
			`{"name":"ada","orgs":[],"forbidden":[],"teams":["x"]}`,
			"name       ada\norgs       none\nforbidden  none\nteams      x\n",
		},
		"an empty list beside a table": {`{"ran":[],"left":[{"id":1}]}`, "nothing ran\nID\n1\n"},
		"yes and no":                   {`[{"here":true,"name":"true"},{"here":false,"name":"x"}]`, "HERE  NAME\nyes   true\nno    x\n"},
		"sizes":                        {`[{"bytes":98123456},{"bytes":12},{"bytes":1540}]`, "BYTES\n98 MB\n12\n1.5 kB\n"},
		"words in a list":              {`{"name":"x","scopes":["a","b"]}`, "name    x\nscopes  a b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			if err := (Look{}).Write(&got, []byte(row.in)); err != nil || got.String() != row.want {
				t.Errorf("got %q, %v; want %q", got.String(), err, row.want)
			}
		})
	}
}
