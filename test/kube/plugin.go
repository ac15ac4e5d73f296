package main

import (
	"context"
	"encoding/json"
	"path/filepath"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

// plugin is Stoa with its socket for the API server.
type plugin struct {
	binary, dir string
	running     *program.Process
}

func (p *plugin) data() string   { return filepath.Join(p.dir, "stoa") }
func (p *plugin) socket() string { return filepath.Join(p.dir, "kms.sock") }

func (p *plugin) start(ctx context.Context) (err error) {
	p.running, err = program.Start(ctx, program.Options{
		Binary: p.binary, Data: p.data(), Args: []string{"--kms-socket", p.socket()},
		Env: []string{"STOA_LOG_LEVEL=error"},
	})
	return err
}

// kill ends the plugin as a power cut would.
func (p *plugin) kill() { p.running.Kill() }

// command runs a command of the operator, as the program stoa does.
func (p *plugin) command(ctx context.Context, path string, args map[string][]string, answer any) error {
	commands, _, err := admin.Dial(ctx, p.data())
	if err != nil {
		return err
	}
	defer commands.Close()
	text, err := commands.Run(ctx, path, args, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// key is the id of the current key.
func (p *plugin) key(ctx context.Context) (string, error) {
	var list struct {
		Keys []struct{ ID, State string }
	}
	err := p.command(ctx, "kms keys", nil, &list)
	for _, k := range list.Keys {
		if k.State == "current" {
			return k.ID, err
		}
	}
	return "", err
}
