package graph

import (
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// maxPasses bounds how often a resolver runs. Each pass learns something.
const maxPasses = 1000

// Resolver makes a graph from what a Lookup tells.
type Resolver func(l *Lookup, root catalog.VersionKey) (*Graph, error)

// Run resolves in passes until one has missed nothing.
func (l *Lookup) Run(resolve Resolver, root catalog.VersionKey) (*Graph, error) {
	defer l.under.Wait()
	for range maxPasses {
		l.missed, l.steps = false, budget.NewSteps(l.ctx, maxSteps)
		g, err := resolve(l, root)
		if err != nil && l.ctx.Err() == nil {
			g, err = GaveUp(root, err)
		}
		if l.missed {
			l.settle()
		}
		l.mu.Lock()
		failed := l.failed
		l.mu.Unlock()
		switch {
		case l.ctx.Err() != nil:
			return nil, l.ctx.Err()
		case failed != nil:
			return nil, failed
		case err != nil || !l.missed:
			return g, err
		case g.Problem == ErrTooManyNodes.Error():
			return g, nil
		}
	}
	return Failed(root, "the resolution does not end"), nil
}

// settle waits for everything that was asked for, and does meanwhile what Ahead
// and AheadOf were told to do with the answers.
func (l *Lookup) settle() {
	defer l.under.Wait()
	for {
		l.mu.Lock()
		ready, idle, failed := l.ready, l.pending == 0, l.failed != nil
		l.ready = nil
		l.mu.Unlock()
		for _, then := range ready {
			if !failed && l.ctx.Err() == nil {
				then()
			}
		}
		switch {
		case failed || len(ready) == 0 && idle:
			return
		case len(ready) == 0:
			select {
			case <-l.arrived:
			case <-l.ctx.Done():
				return
			}
		}
	}
}

// Ahead asks for the versions of a package before a pass needs them. When they
// are known it calls then, in the goroutine of Run; if they cannot be known, not.
func (l *Lookup) Ahead(k catalog.PackageKey, then func([]Listed)) {
	if list, err := l.Versions(k); err == nil {
		then(list)
		return
	}
	l.after(packageQuestion(k), func() {
		if list, err := l.Versions(k); err == nil {
			then(list)
		}
	})
}

// AheadOf is Ahead for what a version requires.
func (l *Lookup) AheadOf(k catalog.VersionKey, then func(*catalog.Requirements)) {
	if needs, err := l.Requirements(k); err == nil {
		then(needs)
		return
	}
	l.after(requirementsQuestion(k), func() {
		if needs, err := l.Requirements(k); err == nil {
			then(needs)
		}
	})
}

// after has something done when a question is answered, which it may be already: answers come
// while who asked goes on.
func (l *Lookup) after(question string, then func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch have, asked := l.answers[question]; {
	case have.pending:
		l.waiting[question] = append(l.waiting[question], then)
	case asked && have.err == nil:
		l.ready = append(l.ready, then)
	}
}
