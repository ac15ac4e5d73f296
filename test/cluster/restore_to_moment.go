package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"stoa.dev/stoa/test/program"
)

// moment is a point in time and what was promised until then.
type moment struct {
	at       string
	acked    []map[int]bool // by task stream
	sent     []int
	pictures map[string]int
}

// restoreToMoment takes a base backup under load, writes on, and starts another
// PostgreSQL as of a moment after the backup, with a node on it.
func (w *world) restoreToMoment(ctx context.Context) error {
	base := filepath.Join(w.dir, "restored")
	if err := os.Mkdir(base, 0o700); err != nil {
		return err
	}
	if err := giveToDatabase(base); err != nil {
		return err
	}
	if _, err := w.asDatabase(ctx, "pg_basebackup", "-D", base, "-d", replicationURL(w.proxy), "-X", "stream",
		"-c", "fast"); err != nil {
		return err
	}
	if err := rest(ctx, 3*time.Second); err != nil {
		return err
	}
	m, err := w.note(ctx)
	if err != nil {
		return err
	}
	if err := rest(ctx, 3*time.Second); err != nil { // what comes after must not be there
		return err
	}
	if err := w.archiveLog(ctx); err != nil {
		return err
	}
	port, err := w.startRestored(ctx, base, m.at)
	if err != nil {
		return err
	}
	return w.auditRestored(ctx, m, port)
}

func replicationURL(port int) string {
	return strings.Replace(databaseURL(port), "postgres:secret", "copier:secret", 1)
}

// asDatabase runs a program of PostgreSQL as its user.
func (w *world) asDatabase(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name), args...)
	cmd.Dir = w.dir
	if uid, gid, ok := databaseUser(); ok {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (w *world) query(ctx context.Context, text string) (string, error) {
	return w.asDatabase(ctx, "psql", "-XAtq", "-d", databaseURL(w.proxy), "-c", text)
}

// note: what was acknowledged before the moment is before it, what is sent afterwards is not.
func (w *world) note(ctx context.Context) (m moment, err error) {
	for _, s := range w.streams.tasks {
		acked, _ := s.mark()
		m.acked = append(m.acked, acked)
	}
	m.pictures = w.streams.pictures.mark()
	if m.at, err = w.query(ctx, "SELECT clock_timestamp()"); err != nil {
		return m, err
	}
	for _, s := range w.streams.tasks {
		_, sent := s.mark()
		m.sent = append(m.sent, sent)
	}
	return m, nil
}

// archiveLog waits until the log of now is in the archive.
func (w *world) archiveLog(ctx context.Context) error {
	file, err := w.query(ctx, "SELECT pg_walfile_name(pg_switch_wal())")
	if err != nil {
		return err
	}
	return w.await(ctx, time.Minute, "the archive of "+file, func() bool {
		_, err := os.Stat(filepath.Join(w.archive(), file))
		return err == nil
	})
}

// startRestored starts PostgreSQL from the base backup and the archive.
func (w *world) startRestored(ctx context.Context, base, at string) (port int, err error) {
	if port, err = freePort(); err != nil {
		return 0, err
	}
	if err := withoutTargets(filepath.Join(base, "postgresql.conf")); err != nil {
		return 0, err
	}
	signal := filepath.Join(base, "recovery.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return 0, err
	}
	if err := giveToDatabase(signal); err != nil {
		return 0, err
	}
	d := daemon{name: "restored", command: filepath.Join(w.bin, "postgres"), database: true, args: []string{"-D", base}}
	for _, setting := range []string{
		fmt.Sprint("port=", port), "unix_socket_directories=" + base, "archive_mode=off", "synchronous_standby_names=",
		"primary_conninfo=", "primary_slot_name=", "hba_file=" + filepath.Join(base, "pg_hba.conf"),
		"restore_command=cp " + w.archive() + "/%f %p", "recovery_target_time=" + at, "recovery_target_action=promote",
	} {
		d.args = append(d.args, "-c", setting)
	}
	if err := w.launch(&d); err != nil {
		return 0, err
	}
	return port, w.await(ctx, time.Minute, "PostgreSQL as of "+at, func() bool {
		out, err := w.asDatabase(ctx, "psql", "-XAtq", "-d", databaseURL(port), "-c", "SELECT pg_is_in_recovery()")
		return err == nil && out == "f"
	})
}

// withoutTargets takes out of a configuration how far Patroni wanted to recover: a server
// that was a standby has such lines, and PostgreSQL accepts one target only.
func withoutTargets(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "recovery_target") {
			kept.WriteString(line)
		}
	}
	return os.WriteFile(file, []byte(kept.String()), 0o600)
}

// auditRestored starts a node on the restored database and a copy of the bucket. It
// sends nothing to the receiver and runs no jobs.
func (w *world) auditRestored(ctx context.Context, m moment, port int) error {
	const copied = "restored"
	for _, folder := range []string{"s3", "notes"} {
		from := filepath.Join(w.dir, folder, bucketName)
		if out, err := exec.CommandContext(ctx, "cp", "-a", from, filepath.Join(w.dir, folder, copied)).
			CombinedOutput(); err != nil {
			return fmt.Errorf("the bucket: %w\n%s", err, out)
		}
	}
	listen, err := freePort()
	if err != nil {
		return err
	}
	o := program.Options{
		Binary: w.binary, Listen: fmt.Sprint("127.0.0.1:", listen), Data: filepath.Join(w.dir, "stoa", "restored"),
		Args: []string{"--database", databaseURL(port)},
		Env:  append(w.nodes.shared(w.store.address(), copied), w.nodes.rootKey(), "STOA_PIPELINES_CONCURRENCY=0"),
	}
	p, err := program.Start(ctx, o)
	if err != nil {
		return err
	}
	defer p.Kill()
	err = w.compareRestored(ctx, m, "http://"+o.Listen) // the process prints base_url
	check := exec.CommandContext(ctx, w.binary, append([]string{"check", "--data", o.Data}, o.Args...)...)
	check.Env = append(program.Environ(), o.Env...)
	if out, failed := check.CombinedOutput(); failed != nil {
		// Repositories are files beside the database and have no moment: they may be ahead.
		err = errors.Join(err, fmt.Errorf("stoa check: %w\n%s", failed, bytes.TrimSpace(out)))
	}
	return err
}

func (w *world) compareRestored(ctx context.Context, m moment, at string) error {
	for i, s := range w.streams.tasks {
		c := *s.client
		c.urls, c.at = []string{at}, 0
		v, err := s.compare(ctx, &c, m.acked[i], m.sent[i])
		if err != nil || v.lost+v.repeated+v.reordered > 0 {
			return fmt.Errorf("tasks as of %s: %+v: %w", m.at, v, err)
		}
	}
	c := *w.streams.pictures.client
	c.urls, c.at = []string{at}, 0
	v, err := w.streams.pictures.compare(ctx, &c, m.pictures)
	if err != nil || v.lost > 0 {
		return fmt.Errorf("pictures as of %s: %+v: %w", m.at, v, err)
	}
	return nil
}
