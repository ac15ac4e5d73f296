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

// bucket makes several replicas possible.
func bucket() map[string]any {
	return map[string]any{"blob": map[string]any{"endpoint": "https://s3.example.net", "existingSecret": "bucket"}}
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
			"own database, two replicas", bucket(), "ConfigMap Deployment PodDisruptionBudget Secret Service StatefulSet",
			[]string{"replicas: 2", "endpoint: https://s3.example.net", "store: s3", "root_key: /run/stoa/root.key", "name: bucket, key: access-key"},
		},
		{
			"outside database and key, one replica, ingress",
			map[string]any{
				"replicas": 1, "database": map[string]any{"existingSecret": "db"}, "rootKey": map[string]any{"existingSecret": "root"},
				"ingress": map[string]any{"enabled": true, "tlsSecret": "tls"}, "config": map[string]any{"dialect": "sdk"},
			},
			"ConfigMap Deployment Ingress Service",
			[]string{"name: db, key: url", "secretName: root", "secretName: tls", "dialect: sdk"},
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
				t.Errorf("a %s that nobody asked for", kind)
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
	if _, err := render(t, nil); err == nil || !strings.Contains(err.Error(), "blob.endpoint") {
		t.Errorf("err = %v, want to be told about blob.endpoint", err)
	}
}
