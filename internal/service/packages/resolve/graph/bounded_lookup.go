package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

const (
	// maxSteps bounds one resolution: versions looked at, and 64 bytes of
	// documents each.
	maxSteps = 2_000_000
	maxTotal = 10 * maxSteps
	stepSize = 64
	// maxText bounds a text of a document. The libraries read requirements and
	// markers with a recursion for each parenthesis, and a stack that overflows
	// ends the process.
	maxText = 16 << 10
	// beside is how many questions to registries are under way at a time.
	beside = 16
	// maxAsked bounds how many there are: versions, their packages, and what
	// backtracking looks at.
	maxAsked = 4 * MaxNodes
)

// What a Store answers besides documents.
var (
	// ErrNotFound means that it is known that there is no such thing.
	ErrNotFound = errors.New("not found")
	// ErrElsewhere means that a registry would have to be asked.
	ErrElsewhere = errors.New("not in the store")
)

// Reach is how far a Store goes for an answer.
type Reach bool

// The reaches: the store alone, or a registry too.
const (
	Stored   Reach = false
	Registry Reach = true
)

// Store is where packages are looked up; the answers are the encoded documents
// of the API. It is called from several goroutines.
type Store interface {
	Package(ctx context.Context, k catalog.PackageKey, r Reach) ([]byte, error)
	Version(ctx context.Context, k catalog.VersionKey, r Reach) ([]byte, error)
	Requirements(ctx context.Context, k catalog.VersionKey, r Reach) ([]byte, error)
	// Files is what the list of a package that is stored tells of one version.
	Files(ctx context.Context, k catalog.VersionKey) (Files, error)
}

// Files are the names of a version's files and, with PyPI, the Python versions
// that the index says it is for.
type Files struct {
	Names  []string
	Python string
}

// Lookup answers the questions of one resolution.
type Lookup struct {
	store Store
	ctx   context.Context

	// steps bound the work of one pass, total that of all; documents are paid
	// for once.
	steps, total, documents *budget.Steps

	lists map[catalog.PackageKey][]Listed
	needs map[catalog.VersionKey]*catalog.Requirements
	files map[catalog.VersionKey]Files

	// missed is whether the pass under way lacked something.
	missed bool
	asked  int
	places chan struct{}
	under  sync.WaitGroup

	// arrived wakes Run when there is an answer.
	arrived chan struct{}

	mu      sync.Mutex
	answers map[string]answer
	failed  error
	done    int
	// pending is how many questions are under way, waiting what is to be done when
	// one of them is answered, and ready what can be done now.
	pending int
	waiting map[string][]func()
	ready   []func()
}

type answer struct {
	pending bool
	doc     []byte
	err     error
}

// NewLookup is a Lookup for one resolution.
func NewLookup(ctx context.Context, s Store) *Lookup {
	return &Lookup{
		store: s, ctx: ctx, documents: budget.NewSteps(ctx, maxSteps), total: budget.NewSteps(ctx, maxTotal),
		places: make(chan struct{}, beside),
		lists:  map[catalog.PackageKey][]Listed{}, needs: map[catalog.VersionKey]*catalog.Requirements{},
		files: map[catalog.VersionKey]Files{}, answers: map[string]answer{},
		arrived: make(chan struct{}, 1), waiting: map[string][]func(){},
	}
}

func packageQuestion(k catalog.PackageKey) string { return "package " + k.String() }

func requirementsQuestion(k catalog.VersionKey) string { return "requirements " + k.String() }

// Progress is how many questions to registries were answered, and how many asked.
func (l *Lookup) Progress() (done, asked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done, len(l.answers)
}

// SpendSteps counts steps of the pass against its bounds.
func (l *Lookup) SpendSteps(n int) error {
	if err := l.total.Take(int64(n)); err != nil {
		return err
	}
	return l.steps.Take(int64(n))
}

// read answers from what was read before or is stored, and has the rest read
// beside.
func (l *Lookup) read(key string, read func(ctx context.Context, r Reach) ([]byte, error)) ([]byte, error) {
	l.mu.Lock()
	have, known := l.answers[key]
	l.mu.Unlock()
	if known {
		l.missed = l.missed || have.pending
		if have.pending {
			return nil, ErrNotFound
		}
		return have.doc, have.err
	}
	doc, err := read(l.ctx, Stored)
	if !errors.Is(err, ErrElsewhere) {
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		l.put(key, answer{doc: doc, err: err})
		return doc, err
	}
	if l.asked++; l.asked > maxAsked {
		return nil, ErrTooManyNodes
	}
	l.missed = true
	l.put(key, answer{pending: true})
	l.under.Go(func() {
		select {
		case l.places <- struct{}{}:
		case <-l.ctx.Done():
			return
		}
		defer func() { <-l.places }()
		defer func() {
			if problem := recover(); problem != nil {
				l.put(key, answer{err: fmt.Errorf("panic: %v", problem)})
			}
		}()
		doc, err := read(l.ctx, Registry)
		l.put(key, answer{doc: doc, err: err})
	})
	return nil, ErrNotFound
}

func (l *Lookup) put(key string, a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers[key].pending {
		l.pending--
	}
	l.answers[key] = a
	if a.pending {
		l.pending++
	} else {
		l.done++
		l.ready = append(l.ready, l.waiting[key]...)
		delete(l.waiting, key)
		select {
		case l.arrived <- struct{}{}:
		default: // it is to wake already
		}
	}
	if a.err != nil && !errors.Is(a.err, ErrNotFound) && l.failed == nil {
		l.failed = a.err
	}
}

// Listed is one version of a package's document.
type Listed struct {
	Key struct {
		Version string `json:"version"`
	} `json:"versionKey"`
	Default   bool `json:"isDefault"`
	Withdrawn bool `json:"isDeprecated"`
}

// Versions are the versions of a package, oldest first; ErrNotFound when the
// package is not known.
func (l *Lookup) Versions(k catalog.PackageKey) ([]Listed, error) {
	if list, ok := l.lists[k]; ok {
		return list, nil
	}
	doc, err := l.Package(k)
	if err != nil {
		return nil, err
	}
	var p struct {
		Versions []Listed `json:"versions"`
	}
	if err := json.Unmarshal(doc, &p); err != nil {
		return nil, err
	}
	l.lists[k] = p.Versions
	return p.Versions, nil
}

// Package is the document of a package.
func (l *Lookup) Package(k catalog.PackageKey) ([]byte, error) {
	doc, err := l.read(packageQuestion(k), func(ctx context.Context, r Reach) ([]byte, error) {
		return l.store.Package(ctx, k, r)
	})
	return l.inspected(doc, err)
}

// Version is the document of a version.
func (l *Lookup) Version(k catalog.VersionKey) ([]byte, error) {
	doc, err := l.read("version "+k.String(), func(ctx context.Context, r Reach) ([]byte, error) {
		return l.store.Version(ctx, k, r)
	})
	return l.inspected(doc, err)
}

// Requirements are what a version declares; ErrNotFound when that is not known.
func (l *Lookup) Requirements(k catalog.VersionKey) (*catalog.Requirements, error) {
	if needs, ok := l.needs[k]; ok {
		return needs, nil
	}
	doc, err := l.RequirementsDocument(k)
	if err != nil {
		return nil, err
	}
	needs := &catalog.Requirements{}
	if err := json.Unmarshal(doc, needs); err != nil {
		return nil, err
	}
	l.needs[k] = needs
	return needs, nil
}

// RequirementsDocument is the same, encoded.
func (l *Lookup) RequirementsDocument(k catalog.VersionKey) ([]byte, error) {
	doc, err := l.read(requirementsQuestion(k), func(ctx context.Context, r Reach) ([]byte, error) {
		return l.store.Requirements(ctx, k, r)
	})
	return l.inspected(doc, err)
}

// Files are the files of a version of a package whose versions were answered.
func (l *Lookup) Files(k catalog.VersionKey) (Files, error) {
	if f, ok := l.files[k]; ok {
		return f, nil
	}
	f, err := l.store.Files(l.ctx, k)
	if err != nil {
		return f, err
	}
	l.files[k] = f
	return f, l.documents.Take(int64(len(f.Names)) + 1)
}

// inspected refuses a document before it is decoded: it spends steps for its
// length, and no text in it is longer than a requirement is.
func (l *Lookup) inspected(doc []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if err := l.documents.Take(int64(len(doc))/stepSize + 1); err != nil {
		return nil, err
	}
	for i := 0; i < len(doc); i++ {
		if doc[i] != '"' {
			continue
		}
		start := i
		for i++; i < len(doc) && doc[i] != '"'; i++ {
			if doc[i] == '\\' {
				i++
			}
		}
		if i-start > maxText {
			return nil, ErrText
		}
	}
	return doc, nil
}
