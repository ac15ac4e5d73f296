package databasetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/migration"
	"stoa.dev/stoa/internal/platform/ids"
)

// server is a PostgreSQL server that databases may be created on.
type server struct {
	admin url.URL // of the maintenance database
}

// findServer is the one named by the environment, or the throw-away cluster.
func findServer(ctx context.Context) (*server, error) {
	if named := os.Getenv("STOA_TEST_POSTGRES"); named != "" {
		u, err := url.Parse(named)
		if err != nil {
			return nil, fmt.Errorf("STOA_TEST_POSTGRES: %w", err)
		}
		return &server{admin: *u}, nil
	}
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx); err != nil {
		return nil, err
	}
	return &server{admin: c.adminURL()}, nil
}

func (s *server) url(name string) string {
	u := s.admin
	u.Path = "/" + name
	return u.String()
}

// do runs one statement on the maintenance database.
func (s *server) do(ctx context.Context, text string) error {
	return s.with(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, text)
		return err
	})
}

func (s *server) with(ctx context.Context, fn func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return err
	}
	return errors.Join(fn(c), c.Close(ctx))
}

// create makes a database for one test. Names are ours, so they need no quotes. Files are
// copied: through the log, which is the default, a copy takes three times as long.
func (s *server) create(ctx context.Context, sets []database.Migrations) (string, error) {
	name := "stoa_test_" + ids.Random().Hex(16)
	if len(sets) == 0 {
		return name, s.do(ctx, "CREATE DATABASE "+name+" STRATEGY file_copy")
	}
	template, err := s.template(ctx, sets)
	if err != nil {
		return "", err
	}
	return name, s.do(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
}

func (s *server) drop(ctx context.Context, name string) error {
	return s.do(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

// template is the name of a migrated database that is made once for each list
// of migrations. It gets its name when it is complete, so that a process that
// dies half-way leaves no half of one behind.
func (s *server) template(ctx context.Context, sets []database.Migrations) (string, error) {
	sum, err := migration.Checksum(string(database.Postgres), sets...)
	if err != nil {
		return "", err
	}
	name := "stoa_template_" + sum[:24]
	err = s.with(ctx, func(c *pgx.Conn) error {
		// One process makes it, the others wait here.
		if _, err := c.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
			return err
		}
		var exists bool
		err := c.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&exists)
		if err != nil || exists {
			return err
		}
		return s.makeTemplate(ctx, c, name, sets)
	})
	return name, err
}

func (s *server) makeTemplate(ctx context.Context, c *pgx.Conn, name string, sets []database.Migrations) error {
	draft := "stoa_draft_" + ids.Random().Hex(16)
	if _, err := c.Exec(ctx, "CREATE DATABASE "+draft); err != nil {
		return err
	}
	db, err := database.Open(ctx, database.Options{URL: s.url(draft), Connections: 2})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Migrate(ctx, sets...), db.Close()); err != nil {
		return errors.Join(err, s.drop(ctx, draft))
	}
	_, err = c.Exec(ctx, "ALTER DATABASE "+draft+" RENAME TO "+name)
	return err
}
