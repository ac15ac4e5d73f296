package main

import (
	"context"
	"fmt"
	"net/http"
)

const (
	pocketRecords = "/api/collections/tasks/records"
	stoaTasks     = "/tasks/v1/lists/@default/tasks"
	oneTask       = `{"title":"Sweep the steps"}`
)

func pocketBase() peer {
	return peer{
		name: "PocketBase", pin: pins()["pocketbase"],
		durable: "a killed process; not a power cut (SQLite WAL with synchronous=NORMAL, no fsync at a commit)",
		differs: []string{
			"A collection with the members of a task, readable and writable by signed-in users, is asked " +
				"with a user's token; its request log is set to errors only, as Stoa's is, and its lists do not " +
				"count the total.",
			"It takes any schema and pushes changes to subscribers; Stoa's task has a fixed schema, and an " +
				"insert also keeps the order, the revision and the counters of its list.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			binary, err := r.goProgram(ctx, p)
			theirs, ours = r.beside(func(folder, address string) []string {
				return []string{binary, "serve", "--dir", dataFolder(folder), "--http", address}
			}, "/api/health")
			return theirs, ours, err
		},
		asks: pocketAsks,
	}
}

func pocketAsks(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
	user, err := theirs.pocketUser(ctx)
	if err != nil {
		return nil, err
	}
	record, err := theirs.createdMany(ctx, 30, pocketRecords, user, oneTask)
	if err != nil {
		return nil, err
	}
	token, err := ours.token(ctx, "tasks")
	if err != nil {
		return nil, err
	}
	task, err := ours.createdMany(ctx, 30, stoaTasks, token, oneTask)
	if err != nil {
		return nil, err
	}
	get := func(what, path, stoaPath string) ask {
		return ask{
			what: what, clients: readers, theirs: "GET record", ours: "GET task",
			askTheirs: r.request(theirs, readers, http.MethodGet, path, user, ""),
			askOurs:   r.request(ours, readers, http.MethodGet, stoaPath, token, ""),
		}
	}
	one := get("read one", pocketRecords+"/"+record, stoaTasks+"/"+task)
	list := get("list 30", pocketRecords+"?perPage=30&skipTotal=1&sort=updated", stoaTasks+"?maxResults=30")
	list.theirs, list.ours = "GET records", "GET tasks"
	all := []ask{one, list}
	// The lists are read first: writes make them longer.
	for _, clients := range []int{1, writers} {
		all = append(all, ask{
			what: "create", clients: clients, theirs: "POST record", ours: "POST task",
			askTheirs: r.request(theirs, clients, http.MethodPost, pocketRecords, user, oneTask),
			askOurs:   r.request(ours, clients, http.MethodPost, stoaTasks, token, oneTask),
		})
	}
	return all, nil
}

// pocketUser makes an administrator, the collection and a user, whose token it
// returns.
func (c *child) pocketUser(ctx context.Context) (string, error) {
	const rule = `"@request.auth.id != \"\""`
	const email = "user@example.com"
	if err := command(ctx, c.folder, nil, c.cmd.Path, "superuser", "upsert", "admin@example.com", userPassword,
		"--dir", dataFolder(c.folder)); err != nil {
		return "", err
	}
	admin, err := c.pocketSignIn(ctx, "_superusers", "admin@example.com")
	if err != nil {
		return "", err
	}
	for _, step := range []struct{ method, path, body string }{
		{http.MethodPatch, "/api/settings", `{"logs":{"minLevel":8,"maxDays":5}}`},
		{
			http.MethodPost, "/api/collections",
			`{"name":"tasks","type":"base","listRule":` + rule + `,"viewRule":` + rule + `,"createRule":` + rule +
				`,"fields":[{"name":"title","type":"text","required":true},{"name":"notes","type":"text"},` +
				`{"name":"status","type":"text"},` +
				`{"name":"updated","type":"autodate","onCreate":true,"onUpdate":true}]}`,
		},
		{
			http.MethodPost, "/api/collections/users/records",
			fmt.Sprintf(`{"email":%q,"password":%q,"passwordConfirm":%[2]q}`, email, userPassword),
		},
	} {
		if err := c.call(ctx, step.method, step.path, admin, step.body, nil); err != nil {
			return "", err
		}
	}
	return c.pocketSignIn(ctx, "users", email)
}

func (c *child) pocketSignIn(ctx context.Context, collection, email string) (string, error) {
	var signed struct {
		Token string `json:"token"`
	}
	err := c.call(ctx, http.MethodPost, "/api/collections/"+collection+"/auth-with-password", "",
		fmt.Sprintf(`{"identity":%q,"password":%q}`, email, userPassword), &signed)
	return signed.Token, err
}
