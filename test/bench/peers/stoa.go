package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"stoa.dev/stoa/internal/app/admin"
)

const (
	userName     = "bench"
	userPassword = "correct horse battery staple"
)

// stoa is the release binary with every service on, tokens checked, limits
// counted and every acknowledged write on the disk. The limits are raised, not
// removed: one generator plays the part of many users.
func (r *run) stoa(further ...string) server {
	return server{
		arguments: func(folder, address string) []string {
			return append([]string{r.binary, "serve", "--data", dataFolder(folder), "--listen", address}, further...)
		},
		env: []string{
			"STOA_LOG_LEVEL=error",
			"STOA_TASKS_REQUESTS_PER_DAY=1000000000", "STOA_TASKS_MAX_LIST_TASKS=1000000000",
			"STOA_TASKS_MAX_TASKS=1000000000", "STOA_CALENDAR_REQUESTS_PER_MINUTE=1000000000",
			"STOA_GENERATE_REQUESTS_PER_MINUTE=1000000000", "STOA_GENERATE_TOKENS_PER_MINUTE=1000000000000",
			"STOA_GENERATE_REQUESTS_PER_DAY=1000000000",
		},
		ready: "/readyz",
	}
}

func dataFolder(folder string) string { return filepath.Join(folder, "data") }

// operator runs one command of Stoa and returns a member of its result.
func (c *child) operator(ctx context.Context, path, member string, values map[string][]string) (string, error) {
	client, _, err := admin.Dial(ctx, dataFolder(c.folder))
	if err != nil {
		return "", err
	}
	defer client.Close()
	text, err := client.Run(ctx, path, values, nil)
	if err != nil || member == "" {
		return "", err
	}
	var made map[string]any
	if err := json.Unmarshal(text, &made); err != nil {
		return "", err
	}
	value, ok := made[member].(string)
	if !ok {
		return "", fmt.Errorf("stoa %s printed no %s", path, member)
	}
	return value, nil
}

// token makes the user and a token for a service.
func (c *child) token(ctx context.Context, service string) (string, error) {
	if err := c.user(ctx); err != nil {
		return "", err
	}
	return c.operator(ctx, "token issue", "token", map[string][]string{"user": {userName}, "service": {service}})
}

// key makes the user and an API key for a service.
func (c *child) key(ctx context.Context, service string) (string, error) {
	if err := c.user(ctx); err != nil {
		return "", err
	}
	return c.operator(ctx, "key issue", "key", map[string][]string{
		"user": {userName}, "service": {service}, "never": {"true"},
	})
}

func (c *child) user(ctx context.Context) error {
	_, err := c.operator(ctx, "user add", "", map[string][]string{"name": {userName}, "password": {userPassword}})
	return err
}
