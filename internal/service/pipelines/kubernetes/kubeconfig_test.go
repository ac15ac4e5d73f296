package kubernetes

import (
	"strings"
	"testing"
	"time"
)

const example = `current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}, {name: b, context: {cluster: missing, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
`

func TestReadKubeconfig(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, context, bad string }{
		{name: "current context", text: example},
		{name: "named context", text: example, context: "a"},
		{name: "no context", text: example, context: "z", bad: `no context "z"`},
		{name: "no cluster", text: example, context: "b", bad: `cluster "missing"`},
		{name: "plain http", text: strings.ReplaceAll(example, "https:", "http:"), bad: "not an https address"},
		{
			name: "unverified", bad: "insecure-skip-tls-verify",
			text: strings.ReplaceAll(example, "cluster: {", "cluster: {insecure-skip-tls-verify: true, "),
		},
		{name: "program", text: strings.ReplaceAll(example, "token: t", "exec: {command: x}"), bad: "not supported"},
		{name: "no YAML", text: "\t{", bad: "not a kubeconfig"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c, err := readKubeconfig([]byte(row.text), row.context, "/")
			if row.bad != "" {
				if err == nil || !strings.Contains(err.Error(), row.bad) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || c.server.Host != "127.0.0.1:6443" || c.token != "t" {
				t.Errorf("the connection is %+v, %v", c, err)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	bad := Config{Kubeconfig: "here", Namespace: "A", PullSecret: "-", CPURequest: "much", StartTimeout: time.Millisecond}
	err := bad.Validate()
	for _, want := range []string{
		"kubeconfig:", "namespace:", "pull_secret:", "cpu_request:", "image ", "start_timeout ",
	} {
		if err == nil || !strings.Contains(err.Error(), "pipelines.kubernetes."+want) {
			t.Errorf("%s is not in %v", want, err)
		}
	}
}

func FuzzReadKubeconfig(f *testing.F) {
	f.Add([]byte(example))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := readKubeconfig(content, "", t.TempDir())
		if (c == nil) == (err == nil) {
			t.Errorf("%v and %v", c, err)
		}
	})
}
