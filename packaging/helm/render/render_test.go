package render

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

const folder = "../stoa"

// bucket makes several replicas possible, with the secrets that are required.
func bucket() map[string]any {
	return map[string]any{
		"blob":       map[string]any{"endpoint": "https://s3.example.net", "existingSecret": "bucket"},
		"rootKey":    map[string]any{"existingSecret": "root"},
		"admin":      map[string]any{"existingSecret": "first"},
		"postgresql": map[string]any{"password": "0123456789abcdefXYZ"},
	}
}

func render(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	chart, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "stoa", Namespace: "porch", IsInstall: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Render(chart, all)
}

func TestLint(t *testing.T) {
	t.Parallel()
	for _, m := range lint.AllWithKubeVersion(folder, bucket(), "porch", &chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}).Messages {
		if m.Severity > support.InfoSev {
			t.Errorf("%s: %v", m.Path, m.Err)
		}
	}
}

// TestRender: every document is YAML with a kind and a name, and the values
// that matter arrive.
func TestRender(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		values map[string]any
		kinds  string
		want   []string
	}{
		{
			"own database, two replicas", bucket(), "ConfigMap Deployment NetworkPolicy PodDisruptionBudget Secret Service StatefulSet",
			[]string{"replicas: 2", "endpoint: https://s3.example.net", "store: s3", "root_key: /run/stoa/root.key", "name: bucket, key: access-key",
				"secretName: root", "secretName: first", "admin_password_file: /run/admin/password", "trusted_proxies: []", "memory: 2Gi", "postgres:17.6", "busybox:1.37.0"},
		},
		{
			"outside database and key, one replica, ingress",
			map[string]any{
				"replicas": 1, "database": map[string]any{"existingSecret": "db"}, "rootKey": map[string]any{"existingSecret": "root"},
				"admin": map[string]any{"existingSecret": "first"}, "trustedProxies": []any{"10.1.2.3/32"},
				"ingress": map[string]any{"enabled": true, "tlsSecret": "tls"}, "config": map[string]any{"dialect": "sdk"},
			},
			"ConfigMap Deployment Ingress NetworkPolicy Service",
			[]string{"name: db, key: url", "secretName: root", "secretName: tls", "dialect: sdk", "10.1.2.3/32"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			files, err := render(t, row.values)
			if err != nil {
				t.Fatal(err)
			}
			kinds, whole := documents(t, files)
			for kind := range strings.FieldsSeq(row.kinds) {
				if !kinds[kind] {
					t.Errorf("no %s", kind)
				}
				delete(kinds, kind)
			}
			for kind := range kinds {
				t.Errorf("a %s that was not asked for", kind)
			}
			for _, want := range row.want {
				if !strings.Contains(whole, want) {
					t.Errorf("nothing says %q", want)
				}
			}
		})
	}
}

func documents(t *testing.T, files map[string]string) (kinds map[string]bool, whole string) {
	t.Helper()
	kinds = map[string]bool{}
	for name, text := range files {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		whole += text
		for document := range strings.SplitSeq(text, "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			var object struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				t.Errorf("%s: %v\n%s", name, err, document)
			}
			if object.Kind == "" || object.Metadata.Name == "" {
				t.Errorf("%s has a document without kind or name:\n%s", name, document)
			}
			kinds[object.Kind] = true
		}
	}
	return kinds, whole
}

func TestSeveralReplicasNeedABucket(t *testing.T) {
	t.Parallel()
	values := bucket()
	delete(values, "blob")
	if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), "blob.endpoint") {
		t.Errorf("err = %v, want to be told about blob.endpoint", err)
	}
}

// TestSecretsAreRequired: the chart makes none, because a rendering without the
// cluster could not find them again, and says which are missing.
func TestSecretsAreRequired(t *testing.T) {
	t.Parallel()
	for missing, want := range map[string]string{
		"rootKey": "rootKey.existingSecret", "admin": "admin.existingSecret", "postgresql": "postgresql.password",
	} {
		values := bucket()
		delete(values, missing)
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v, want to be told about %s", missing, err, want)
		}
	}
	weak := bucket()
	weak["postgresql"] = map[string]any{"password": "a@b"}
	if _, err := render(t, weak); err == nil || !strings.Contains(err.Error(), "16 letters") {
		t.Errorf("a weak password: %v", err)
	}
}

// TestRenderIsStable: two renderings are the same, so that a tool which renders
// at every synchronization changes nothing.
func TestRenderIsStable(t *testing.T) {
	t.Parallel()
	one, err := render(t, bucket())
	if err != nil {
		t.Fatal(err)
	}
	two, err := render(t, bucket())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range one {
		if text != two[name] {
			t.Errorf("%s differs:\n%s\n%s", name, text, two[name])
		}
	}
}
