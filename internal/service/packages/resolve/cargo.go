package resolve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// cargoRun is one resolution under way. Nodes are visited in the order they
// were found, so that the result does not depend on chance.
type cargoRun struct {
	store    Store
	graph    *Graph
	place    map[catalog.VersionKey]int
	versions map[string][]listed
	steps    *budget.Steps
}

// listed is one version of a package's document.
type listed struct {
	Key struct {
		Version string `json:"version"`
	} `json:"versionKey"`
	Yanked bool `json:"isDeprecated"`
}

func resolveCargo(ctx context.Context, s Store, root catalog.VersionKey) (*Graph, error) {
	run := &cargoRun{
		store: s, graph: &Graph{}, place: map[catalog.VersionKey]int{}, versions: map[string][]listed{},
		steps: budget.NewSteps(ctx, maxSteps),
	}
	run.node(root)
	for at := 0; at < len(run.graph.Nodes); at++ {
		if len(run.graph.Nodes) > maxNodes {
			run.graph.Problem = errTooManyNodes.Error()
			break
		}
		err := run.expand(ctx, at)
		var over *budget.StepsError
		if errors.As(err, &over) || errors.Is(err, errText) {
			run.graph.Problem = problem(err)
			break
		}
		if err != nil {
			return nil, err
		}
	}
	run.graph.relate()
	return run.graph, nil
}

func (r *cargoRun) node(k catalog.VersionKey) int {
	if at, ok := r.place[k]; ok {
		return at
	}
	r.place[k] = len(r.graph.Nodes)
	r.graph.Nodes = append(r.graph.Nodes, Node{Key: k, Relation: Indirect})
	return len(r.graph.Nodes) - 1
}

// expand adds what a node needs: ordinary and build dependencies that are not
// optional and not for another platform.
func (r *cargoRun) expand(ctx context.Context, at int) error {
	doc, err := r.store.Requirements(ctx, r.graph.Nodes[at].Key)
	if errors.Is(err, ErrNotFound) {
		r.graph.Nodes[at].Errors = append(r.graph.Nodes[at].Errors, requirementsUnknown)
		return nil
	}
	if err != nil {
		return err
	}
	if err := inspect(doc, r.steps); err != nil {
		return err
	}
	var needs catalog.Requirements
	if err := json.Unmarshal(doc, &needs); err != nil {
		return err
	}
	if needs.Cargo == nil {
		return nil
	}
	for _, d := range needs.Cargo.Dependencies {
		if d.Kind == "dev" || d.Optional || !forLinux(d.Target) {
			continue
		}
		key, found, err := r.choose(ctx, d)
		if err != nil {
			return err
		}
		if !found {
			r.graph.Nodes[at].Errors = append(r.graph.Nodes[at].Errors,
				fmt.Sprintf("no version of %s satisfies %s", d.Name, d.Requirement))
			continue
		}
		r.graph.Edges = append(r.graph.Edges, Edge{From: at, To: r.node(key), Requirement: d.Requirement})
	}
	return nil
}

// choose takes a version that is in the graph already if it satisfies the
// requirement, else the greatest that does. Yanked ones are for lock files.
func (r *cargoRun) choose(ctx context.Context, d catalog.CargoRequirement) (catalog.VersionKey, bool, error) {
	set, err := catalog.Constraint(catalog.Cargo, d.Requirement)
	if err != nil {
		return catalog.VersionKey{}, false, nil
	}
	pkg := catalog.PackageKey{System: catalog.Cargo, Name: d.Name}
	list, err := r.list(ctx, pkg)
	if err != nil {
		return catalog.VersionKey{}, false, err
	}
	if err := r.steps.Take(int64(len(list)) + 1); err != nil {
		return catalog.VersionKey{}, false, err
	}
	best := catalog.VersionKey{}
	for i := len(list) - 1; i >= 0; i-- {
		key := pkg.At(list[i].Key.Version)
		if list[i].Yanked || !set.Match(key.Version) {
			continue
		}
		if _, used := r.place[key]; used {
			return key, true, nil
		}
		if best.Version == "" {
			best = key
		}
	}
	return best, best.Version != "", nil
}

func (r *cargoRun) list(ctx context.Context, k catalog.PackageKey) ([]listed, error) {
	if list, ok := r.versions[k.Name]; ok {
		return list, nil
	}
	doc, err := r.store.Package(ctx, k)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	var p struct {
		Versions []listed `json:"versions"`
	}
	if err == nil {
		if err := inspect(doc, r.steps); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(doc, &p); err != nil {
			return nil, err
		}
	}
	r.versions[k.Name] = p.Versions
	return p.Versions, nil
}

// forLinux reports whether a platform condition holds on 64-bit Linux. Only
// conditions that name another platform outright are ruled out.
func forLinux(target string) bool {
	if target == "" {
		return true
	}
	for _, other := range []string{
		"windows", "macos", "wasm", "apple", "android", "ios", "hermit", "wasi", "redox", "solid", "uefi",
	} {
		if strings.Contains(target, other) {
			return strings.Contains(target, "not(")
		}
	}
	return true
}
