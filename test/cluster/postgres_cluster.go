package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const members = 3

// cluster is etcd, the PostgreSQL servers with their keepers, and the proxy.
type cluster struct {
	dir      string
	etcd     int // ports
	proxy    int
	ports    [members]int // of PostgreSQL
	keepers  [members]int // of Patroni's API
	commands [members]*exec.Cmd
	others   []*exec.Cmd
	bin      string
}

// url is the database as Stoa is told it.
func (c *cluster) url() string {
	return fmt.Sprintf("postgres://postgres:secret@127.0.0.1:%d/postgres?sslmode=disable", c.proxy)
}

func (c *cluster) start(ctx context.Context) error {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return errors.New("install postgresql: there is no /usr/lib/postgresql/*/bin/initdb")
	}
	c.bin = filepath.Dir(found[len(found)-1])
	for _, port := range append([]*int{&c.etcd, &c.proxy}, c.memberPorts()...) {
		if *port, err = freePort(); err != nil {
			return err
		}
	}
	peer, err := freePort()
	if err != nil {
		return err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", c.etcd)
	if _, err := c.launch("etcd", "etcd", "--data-dir", filepath.Join(c.dir, "etcd"), "--listen-client-urls", at,
		"--advertise-client-urls", at, "--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", peer)); err != nil {
		return err
	}
	for i := range members {
		if err := c.launchMember(i); err != nil {
			return err
		}
	}
	if err := c.startProxy(); err != nil {
		return err
	}
	return c.await(ctx, 3*time.Minute, "a primary with its standbys", func() bool {
		_, err := c.leader(ctx)
		return err == nil && c.streaming(ctx) == members-1
	})
}

func (c *cluster) memberPorts() (all []*int) {
	for i := range members {
		all = append(all, &c.ports[i], &c.keepers[i])
	}
	return all
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// member is the configuration of one Patroni; JSON is YAML, too.
func (c *cluster) member(i int) map[string]any {
	local := "127.0.0.1"
	login := func(name string) map[string]string { return map[string]string{"username": name, "password": "secret"} }
	return map[string]any{
		"scope": "stoa", "name": "member" + strconv.Itoa(i),
		"restapi": map[string]string{
			"listen": fmt.Sprint(local, ":", c.keepers[i]), "connect_address": fmt.Sprint(local, ":", c.keepers[i]),
		},
		"etcd3": map[string]string{"hosts": fmt.Sprint(local, ":", c.etcd)},
		"bootstrap": map[string]any{
			"dcs": map[string]any{
				"ttl": 20, "loop_wait": 2, "retry_timeout": 5, "maximum_lag_on_failover": 1048576,
				"synchronous_mode": true, "synchronous_mode_strict": false,
				"postgresql": map[string]any{"use_pg_rewind": true, "parameters": map[string]any{
					"max_connections": 200, "fsync": "on", "synchronous_commit": "on", "wal_log_hints": "on",
				}},
			},
			"initdb": []any{map[string]string{"encoding": "UTF8"}, map[string]string{"locale": "C"}, "data-checksums"},
		},
		"postgresql": map[string]any{
			"listen": fmt.Sprint(local, ":", c.ports[i]), "connect_address": fmt.Sprint(local, ":", c.ports[i]),
			"data_dir": filepath.Join(c.dir, "pg"+strconv.Itoa(i), "data"), "bin_dir": c.bin,
			"pgpass":         filepath.Join(c.dir, "pg"+strconv.Itoa(i), "pass"),
			"authentication": map[string]any{"superuser": login("postgres"), "replication": login("copier")},
			"pg_hba":         []string{"host all all 127.0.0.1/32 md5", "host replication all 127.0.0.1/32 md5"},
			"parameters":     map[string]string{"unix_socket_directories": filepath.Join(c.dir, "pg"+strconv.Itoa(i))},
		},
	}
}

func (c *cluster) launchMember(i int) error {
	folder := filepath.Join(c.dir, "pg"+strconv.Itoa(i))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(c.member(i))
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "patroni.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	if uid, gid, ok := databaseUser(); ok {
		if err := errors.Join(os.Chown(folder, uid, gid), os.Chown(file, uid, gid)); err != nil {
			return err
		}
	}
	c.commands[i], err = c.launch("patroni"+strconv.Itoa(i), "patroni", file)
	return err
}

// databaseUser is who runs PostgreSQL where this process is root, which it refuses.
func databaseUser() (uid, gid int, ok bool) {
	u, err := user.Lookup("postgres")
	if err != nil || os.Getuid() != 0 {
		return 0, 0, false
	}
	uid, err = strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return uid, gid, errors.Join(err, err2) == nil
}

// launch starts a program in a process group of its own, with a log.
func (c *cluster) launch(name, command string, args ...string) (*exec.Cmd, error) {
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if uid, gid, ok := databaseUser(); ok && command == "patroni" {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c.others = append(c.others, cmd)
	return cmd, log.Close()
}

// startProxy leads to the member that says it is the primary.
func (c *cluster) startProxy() error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "global\n maxconn 500\ndefaults\n mode tcp\n timeout connect 2s\n timeout client 1h\n"+
		" timeout server 1h\nlisten primary\n bind 127.0.0.1:%d\n option httpchk OPTIONS /primary\n"+
		" http-check expect status 200\n"+
		" default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions\n", c.proxy)
	for i := range members {
		fmt.Fprintf(&b, " server m%d 127.0.0.1:%d check port %d\n", i, c.ports[i], c.keepers[i])
	}
	file := filepath.Join(c.dir, "haproxy.cfg")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return err
	}
	path, err := exec.LookPath("haproxy")
	if err != nil {
		path = "/usr/sbin/haproxy"
	}
	_, err = c.launch("haproxy", path, "-db", "-f", file)
	return err
}

// ask reads an address of a keeper.
func (c *cluster) ask(ctx context.Context, i int, method, path string, body any) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", c.keepers[i], path),
		bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

// await asks until something holds.
func (c *cluster) await(ctx context.Context, limit time.Duration, what string, holds func() bool) error {
	for end := time.Now().Add(limit); !holds(); {
		if time.Now().After(end) {
			return fmt.Errorf("waited %s for %s", limit, what)
		}
		if err := rest(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// stop ends every process that was started.
func (c *cluster) stop() {
	for _, cmd := range c.others {
		for _, pid := range descendants(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = cmd.Wait()
	}
}
