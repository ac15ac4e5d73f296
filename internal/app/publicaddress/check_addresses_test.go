package publicaddress_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/publicaddress"
)

func TestCheckBase(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"": true, "http://localhost:8080": true, "https://stoa.example.org/": true, "https://[::1]:8443": true,
		"https://example.org/stoa": true,
		"stoa.example.org":         false, "stoa.example.org:443": false, "ftp://stoa.example.org": false, "https://": false,
		"https://:443": false, "https://ada:secret@stoa.example.org": false, "https://stoa.example.org?x=1": false,
		"https://stoa.example.org#x": false, "https://stoa example": false,
	} {
		err := publicaddress.CheckBase("base_url", text)
		if (err == nil) != good || err != nil && (!strings.HasPrefix(err.Error(), "base_url must be") ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCheckHosts(t *testing.T) {
	t.Parallel()
	services := []string{"labels", "tasks"}
	for _, row := range []struct {
		hosts map[string]string
		want  string
	}{
		{nil, ""},
		{map[string]string{"tasks": "tasks.example", "labels": "labels.example"}, ""},
		{map[string]string{"taks": "tasks.example"}, `no service "taks"; did you mean tasks?`},
		{map[string]string{"weather": "w.example"}, `no service "weather"; there are labels, tasks`},
		{map[string]string{"tasks": "https://tasks.example"}, `"https://tasks.example" is not a host name`},
		{map[string]string{"tasks": "tasks.example:8080"}, "is not a host name"},
		{map[string]string{"tasks": ""}, "is not a host name"},
		{map[string]string{"tasks": "A.example", "labels": "a.example"}, "a.example is the host of labels already"},
	} {
		err := publicaddress.CheckHosts(row.hosts, services)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: got %v, want %q", row.hosts, err, row.want)
		}
	}
}

func TestCheckListeners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plain, secure string
		refused       bool
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", true},
		{":8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "127.0.0.2:8080", false},
		{"127.0.0.1:8080", "127.0.0.1:8443", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
		{"127.0.0.1:8080", "", false},
	} {
		if err := publicaddress.CheckListeners(c.plain, c.secure); (err != nil) != c.refused {
			t.Errorf("%s and %s: %v, want refused %t", c.plain, c.secure, err, c.refused)
		}
	}
}
