package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const secretsPath = "/api/v1/namespaces/default/secrets"

// valuePrefix begins every value, so that it is found where it must not be.
const valuePrefix = "plaintext-"

// secret is what this program uses of one.
type secret struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]any    `json:"metadata"`
	Data       map[string][]byte `json:"data"`
	Type       string            `json:"type"`
}

// ledger knows the content of every secret that the API server acknowledged.
type ledger struct {
	plane *controlPlane

	mu      sync.Mutex
	acked   map[string]string
	sent    map[string]string // acknowledged or not
	refused int
	last    time.Time     // of the last acknowledgement
	longest time.Duration // between two of them, since measuring began
}

func newLedger(c *controlPlane) *ledger {
	return &ledger{plane: c, acked: map[string]string{}, sent: map[string]string{}}
}

// create writes one secret and notes the answer.
func (l *ledger) create(ctx context.Context, name string) error {
	value := valuePrefix + rand.Text()
	l.mu.Lock()
	l.sent[name] = value
	l.mu.Unlock()
	err := l.plane.api.do(ctx, http.MethodPost, secretsPath, secret{
		APIVersion: "v1", Kind: "Secret", Metadata: map[string]any{"name": name}, Type: "Opaque",
		Data: map[string][]byte{"password": []byte(value)},
	}, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.refused++
		return err
	}
	now := time.Now()
	l.longest, l.last = max(l.longest, now.Sub(l.last)), now
	l.acked[name] = value
	return nil
}

// fill writes so many secrets, a few at once.
func (l *ledger) fill(ctx context.Context, count int) error {
	return l.parallel(ctx, count, func(ctx context.Context, i int) error {
		return l.create(ctx, fmt.Sprintf("filled-%04d", i))
	})
}

// parallel runs so many calls, four at once, and joins their errors.
func (l *ledger) parallel(ctx context.Context, count int, do func(ctx context.Context, i int) error) error {
	var work sync.WaitGroup
	failed := make([]error, count)
	places := make(chan struct{}, 4)
	for i := range count {
		places <- struct{}{}
		work.Go(func() {
			failed[i] = do(ctx, i)
			<-places
		})
	}
	work.Wait()
	return errors.Join(failed...)
}

// rewrite replaces every acknowledged secret by itself, as storage is migrated.
func (l *ledger) rewrite(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(l.acked))
	return l.parallel(ctx, len(names), func(ctx context.Context, i int) error {
		path := secretsPath + "/" + names[i]
		var s secret
		if err := l.plane.api.do(ctx, http.MethodGet, path, nil, &s); err != nil {
			return err
		}
		return l.plane.api.do(ctx, http.MethodPut, path, s, nil)
	})
}

// underLoad does something while clients write, and says how it went for them.
func (l *ledger) underLoad(ctx context.Context, prefix string, do func() error) (string, error) {
	loaded, cancel := context.WithCancel(ctx)
	defer cancel()
	l.mu.Lock()
	before, refused := len(l.acked), l.refused
	l.longest, l.last = 0, time.Now()
	l.mu.Unlock()
	var work sync.WaitGroup
	for client := range 4 {
		work.Go(func() {
			for number := 0; loaded.Err() == nil; number++ {
				// A refusal is counted, and a call that the end of the load cuts off is no refusal.
				_ = l.create(context.WithoutCancel(loaded), fmt.Sprintf("%s-%d-%05d", prefix, client, number))
				_ = rest(loaded, 10*time.Millisecond)
			}
		})
	}
	err := do()
	cancel()
	work.Wait()
	return fmt.Sprintf("%d written, %d refused, longest wait %s", len(l.acked)-before, l.refused-refused,
		l.longest.Round(10*time.Millisecond)), err
}

// audit reads all secrets through the API server and compares them with what was written.
func (l *ledger) audit(ctx context.Context) (string, error) {
	found := map[string]string{}
	for next := ""; ; {
		var list struct {
			Metadata struct{ Continue string }
			Items    []struct {
				Metadata struct{ Name string }
				Data     map[string][]byte
			}
		}
		path := secretsPath + "?limit=500&continue=" + url.QueryEscape(next)
		if err := l.plane.api.do(ctx, http.MethodGet, path, nil, &list); err != nil {
			return "", err
		}
		for _, item := range list.Items {
			found[item.Metadata.Name] = string(item.Data["password"])
		}
		if next = list.Metadata.Continue; next == "" {
			break
		}
	}
	lost, altered := 0, 0
	for name, value := range l.acked {
		if _, ok := found[name]; !ok {
			lost++
		} else if found[name] != value {
			altered++
		}
	}
	seen := fmt.Sprintf("%d acknowledged, %d read: %d lost, %d altered", len(l.acked), len(found), lost, altered)
	if lost+altered > 0 {
		return seen, errors.New(seen)
	}
	return seen, nil
}

// inspect reads etcd without the API server: everything is under the one key, and
// nothing of what was written can be read.
func (l *ledger) inspect(ctx context.Context, key string) (string, error) {
	stored, err := l.plane.stored(ctx, secretsPrefix)
	if err != nil {
		return "", err
	}
	under, other, plain := 0, 0, 0
	for name, value := range stored {
		id, err := keyOf(value)
		if err != nil {
			return "", fmt.Errorf("%s in etcd: %w", name, err)
		}
		if id == key {
			under++
		} else {
			other++
		}
		if readable(value) {
			plain++
		}
	}
	seen := fmt.Sprintf("%d in etcd: %d under %s, %d under others, %d readable", len(stored), under, short(key), other,
		plain)
	if other+plain > 0 || under < len(l.acked) {
		return seen, errors.New(seen)
	}
	return seen, nil
}

// readable reports whether stored bytes hold a value, as it is or in base64.
func readable(content []byte) bool {
	if bytes.Contains(content, []byte(valuePrefix)) {
		return true
	}
	// The prefix stands at one of three places in a group of three bytes; characters
	// that its neighbours have a part in are left out.
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte("xx"[:shift] + valuePrefix))
		first := (shift*8 + 5) / 6
		whole := (shift + len(valuePrefix)) * 8 / 6
		if bytes.Contains(content, []byte(encoded[first:whole])) {
			return true
		}
	}
	return false
}

// short is enough of a key's id for a reader.
func short(id string) string {
	if len(id) > 18 {
		return id[:18] + strings.Repeat(".", 3)
	}
	return id
}
