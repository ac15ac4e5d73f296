package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// filled is how many secrets are written before anything is done to them.
const filled = 1000

// healthPath is how an operator asks the API server about its plugins.
const healthPath = "/healthz/kms-providers"

// keyTrials are what is tried with the plugin, one after the other.
type keyTrials struct {
	plane  *controlPlane
	plugin *plugin
	ledger *ledger

	first, second string // key ids
}

func tryKeyManagement(ctx context.Context, c *controlPlane, p *plugin) error {
	first, err := p.key(ctx)
	if err != nil {
		return err
	}
	t := &keyTrials{plane: c, plugin: p, ledger: newLedger(c), first: first}
	trials := []trial{
		{"stoa kms check", t.check},
		{healthPath, t.health},
		{fmt.Sprintf("%d secrets written", filled), t.fill},
		{"secrets read from etcd", t.inspectFirst},
		{"API server killed and back, all secrets read", t.readAgain},
		{"stoa kms rotate, until a new secret is under the new key", t.rotate},
		{"all secrets replaced by themselves", t.migrate},
		{"all config maps replaced by themselves", t.migrateConfigMaps},
		{"stoa kms destroy of the first key, API server killed and back", t.destroy},
		{"plugin killed while clients write, back after 3 s", t.bounce},
		{"plugin killed while clients write, away until the API server complains", t.absence},
		{"API server killed while the plugin is back, all secrets read", t.readAgain},
		{"secrets read from etcd", t.inspectSecond},
		{healthPath, t.health},
	}
	return runTrials(ctx, trials)
}

// trial is one thing that is tried; it says what was seen.
type trial struct {
	name string
	do   func(ctx context.Context) (string, error)
}

func runTrials(ctx context.Context, trials []trial) error {
	fmt.Printf("%-72s %8s  %s\n", "what was tried", "took", "what was seen")
	for _, t := range trials {
		began := time.Now()
		seen, err := t.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Printf("%-72s %8s  %s\n", t.name, time.Since(began).Round(100*time.Millisecond), seen)
	}
	return nil
}

// check calls the plugin as the command of the documentation does.
func (t *keyTrials) check(ctx context.Context) (string, error) {
	var report struct{ Findings []struct{ Step string } }
	args := map[string][]string{"socket": {t.plugin.socket()}, "timeout": {"3s"}}
	err := t.plugin.command(ctx, "kms check", args, &report)
	return fmt.Sprintf("%d findings, all good", len(report.Findings)), err
}

func (t *keyTrials) health(ctx context.Context) (string, error) {
	return t.plane.api.text(ctx, healthPath)
}

func (t *keyTrials) fill(ctx context.Context) (string, error) {
	err := t.ledger.fill(ctx, filled)
	return fmt.Sprintf("%d acknowledged", len(t.ledger.acked)), err
}

func (t *keyTrials) inspectFirst(ctx context.Context) (string, error) {
	return t.ledger.inspect(ctx, t.first)
}

func (t *keyTrials) inspectSecond(ctx context.Context) (string, error) {
	return t.ledger.inspect(ctx, t.second)
}

// readAgain has the API server decrypt everything: a fresh one has no key in its memory.
func (t *keyTrials) readAgain(ctx context.Context) (string, error) {
	if err := t.plane.restart(ctx); err != nil {
		return "", err
	}
	return t.ledger.audit(ctx)
}

// rotate waits until the API server has seen the new key: it asks once a minute.
func (t *keyTrials) rotate(ctx context.Context) (string, error) {
	var made struct{ ID, Previous string }
	if err := t.plugin.command(ctx, "kms rotate", nil, &made); err != nil {
		return "", err
	}
	t.second = made.ID
	if made.Previous != t.first || made.ID == t.first {
		return "", fmt.Errorf("the key was %s and not %s, and is %s", made.Previous, t.first, made.ID)
	}
	number := 0
	err := await(ctx, 3*time.Minute, "a secret under the new key", func() error {
		number++
		name := fmt.Sprintf("rotated-%04d", number)
		if err := t.ledger.create(ctx, name); err != nil {
			return err
		}
		stored, err := t.plane.stored(ctx, secretsPrefix)
		if err != nil {
			return err
		}
		id, err := keyOf(stored["default/"+name])
		if err == nil && id != t.second {
			err = fmt.Errorf("it is under %s", id)
		}
		return errors.Join(err, rest(ctx, 300*time.Millisecond))
	})
	return fmt.Sprintf("%s became %s; %d secrets written meanwhile", short(t.first), short(t.second), number), err
}

// migrate counts what is under which key before and after.
func (t *keyTrials) migrate(ctx context.Context) (string, error) {
	before, err := t.ledger.inspect(ctx, t.second)
	if err == nil {
		return "", fmt.Errorf("nothing is left to do: %s", before)
	}
	if err := t.ledger.rewrite(ctx); err != nil {
		return "", err
	}
	after, err := t.ledger.inspect(ctx, t.second)
	return "before: " + before + "; after: " + after, err
}

// migrateConfigMaps does the same for those that the API server keeps for itself: it needs
// them when it starts.
func (t *keyTrials) migrateConfigMaps(ctx context.Context) (string, error) {
	var list struct{ Items []map[string]any }
	if err := t.plane.api.do(ctx, http.MethodGet, "/api/v1/configmaps", nil, &list); err != nil {
		return "", err
	}
	for _, item := range list.Items {
		meta, ok := item["metadata"].(map[string]any)
		if !ok {
			return "", errors.New("a config map without metadata")
		}
		path := fmt.Sprintf("/api/v1/namespaces/%v/configmaps/%v", meta["namespace"], meta["name"])
		if err := t.plane.api.do(ctx, http.MethodPut, path, item, nil); err != nil {
			return "", err
		}
	}
	stored, err := t.plane.stored(ctx, configMapsPrefix)
	for name, value := range stored {
		id, err := keyOf(value)
		if err != nil || id != t.second {
			return "", fmt.Errorf("%s in etcd is under %q: %w", name, id, err)
		}
	}
	return fmt.Sprintf("%s in etcd, all under %s", slices.Sorted(maps.Keys(stored)), short(t.second)), err
}

// destroy shows that nothing is under the old key any more.
func (t *keyTrials) destroy(ctx context.Context) (string, error) {
	var gone struct{ ID string }
	if err := t.plugin.command(ctx, "kms destroy", map[string][]string{"id": {t.first}}, &gone); err != nil {
		return "", err
	}
	return t.readAgain(ctx)
}

// bounce is shorter than the API server notices.
func (t *keyTrials) bounce(ctx context.Context) (string, error) {
	return t.ledger.underLoad(ctx, "bounced", func() error {
		if err := rest(ctx, 2*time.Second); err != nil {
			return err
		}
		t.plugin.kill()
		if err := rest(ctx, 3*time.Second); err != nil {
			return err
		}
		if err := t.plugin.start(ctx); err != nil {
			return err
		}
		return rest(ctx, 5*time.Second)
	})
}

// absence lasts until the API server reports it, and ends when it reports that all is well.
func (t *keyTrials) absence(ctx context.Context) (string, error) {
	var complaint string
	seen, err := t.ledger.underLoad(ctx, "absent", func() error {
		t.plugin.kill()
		err := await(ctx, 2*time.Minute, "a complaint of the API server", func() error {
			text, err := t.health(ctx)
			var refused *statusError
			if !errors.As(err, &refused) || refused.code != http.StatusInternalServerError {
				return fmt.Errorf("it says %q: %w", text, err)
			}
			complaint, _, _ = strings.Cut(text, "\n")
			return nil
		})
		if err := errors.Join(err, t.plugin.start(ctx)); err != nil {
			return err
		}
		return await(ctx, 2*time.Minute, "a healthy plugin", func() error {
			_, err := t.health(ctx)
			return err
		})
	})
	return fmt.Sprintf("%s; it said %q", seen, complaint), err
}
