package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
)

// aimockFixture is what it answers with.
const aimockFixture = `{"fixtures":[{"match":{"userMessage":"Hello"},"response":{"content":"Hello. How can I help?"}}]}`

func aimock() peer {
	return peer{
		name: "aimock", pin: pins()["aimock"],
		durable: "nothing: fixtures are read from files, calls are kept in memory",
		differs: []string{
			"It answers from one fixture, Stoa from its script; neither runs a model. It lets everybody in; " +
				"Stoa checks the key, counts tokens, and charges the call to limits by minute and day.",
			"It speaks more vendors' forms, plays recorded streams back and can go through to a real vendor; " +
				"Stoa has uploaded files and cached content, and runs local models.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			script, err := r.nodeScript(ctx, p, "dist/cli.js")
			theirs, ours = r.beside(func(folder, address string) []string {
				host, port := splitAddress(address)
				return append(script, "--host", host, "--port", port, "--log-level", "silent",
					"--fixtures", filepath.Join(folder, "fixture.json"))
			}, "/health")
			theirs.prepare = func(folder string) error {
				return os.WriteFile(filepath.Join(folder, "fixture.json"), []byte(aimockFixture), 0o600)
			}
			return theirs, ours, err
		},
		asks: func(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
			key, err := ours.key(ctx, "generate")
			if err != nil {
				return nil, err
			}
			const chat = "/v1/chat/completions"
			const content = ":generateContent?key="
			const theirModel, ourModel = "/v1beta/models/gemini-2.5-flash", "/v1beta/models/stoa-script"
			const hello = `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`
			chatBody := func(model string) string {
				return `{"model":"` + model + `","messages":[{"role":"user","content":"Hello"}]}`
			}
			return []ask{
				{
					what: "chat", clients: readers, theirs: "POST " + chat, ours: "POST " + chat,
					askTheirs: r.request(theirs, readers, http.MethodPost, chat, "any", chatBody("gpt-4o")),
					askOurs:   r.request(ours, readers, http.MethodPost, chat, key, chatBody("stoa-script")),
				},
				{
					what: "content", clients: readers, theirs: "POST generateContent", ours: "POST generateContent",
					askTheirs: r.request(theirs, readers, http.MethodPost, theirModel+content+"any", "", hello),
					askOurs:   r.request(ours, readers, http.MethodPost, ourModel+content+key, "", hello),
				},
			}, nil
		},
	}
}
