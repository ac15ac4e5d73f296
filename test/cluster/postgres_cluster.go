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
	"path/filepath"
	"strconv"
	"time"
)

const members = 3

// cluster is etcd, the PostgreSQL servers with their Patroni, the proxy and the pool of
// connections before them. What one member needs of the others passes relays, so that
// a member can be cut off.
type cluster struct {
	dir, bin string
	ports    [members]int // of PostgreSQL
	keepers  [members]int // of Patroni's API
	proxy    int
	pool     int

	etcd, haproxy, pgbouncer      daemon
	patroni                       [members]daemon
	toPostgres, toPatroni, toEtcd [members]*relay
	away                          [members]bool
	started                       []*exec.Cmd
}

// databaseURL is the database at an address of this machine.
func databaseURL(port int) string {
	return fmt.Sprintf("postgres://postgres:secret@127.0.0.1:%d/postgres?sslmode=disable", port)
}

func (c *cluster) start(ctx context.Context) error {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return errors.New("install postgresql: there is no /usr/lib/postgresql/*/bin/initdb")
	}
	c.bin = filepath.Dir(found[len(found)-1])
	if err := c.startEtcd(); err != nil {
		return err
	}
	if err := os.Mkdir(c.archive(), 0o700); err != nil {
		return err
	}
	if err := giveToDatabase(c.archive()); err != nil {
		return err
	}
	for i := range members {
		if err := c.prepareMember(i); err != nil {
			return err
		}
		if err := c.launch(&c.patroni[i]); err != nil {
			return err
		}
	}
	if err := c.startProxy(); err != nil {
		return err
	}
	if err := c.startPool(); err != nil {
		return err
	}
	return c.awaitStandbys(ctx)
}

// awaitStandbys waits for a primary and all its standbys.
func (c *cluster) awaitStandbys(ctx context.Context) error {
	return c.await(ctx, 3*time.Minute, "a primary with its standbys", func() bool {
		_, err := c.leader(ctx)
		return err == nil && c.streaming(ctx) == members-1
	})
}

func (c *cluster) startEtcd() error {
	client, err := freePort()
	if err != nil {
		return err
	}
	peer, err := freePort()
	if err != nil {
		return err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", client)
	c.etcd = daemon{name: "etcd", command: "etcd", args: []string{
		"--data-dir", filepath.Join(c.dir, "etcd"), "--listen-client-urls", at, "--advertise-client-urls", at,
		"--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", peer),
	}}
	for i := range members {
		if c.toEtcd[i], err = newRelay(fmt.Sprintf("127.0.0.1:%d", client)); err != nil {
			return err
		}
	}
	return c.launch(&c.etcd)
}

func (c *cluster) relays() (all []*relay) {
	for i := range members {
		for _, r := range []*relay{c.toPostgres[i], c.toPatroni[i], c.toEtcd[i]} {
			if r != nil {
				all = append(all, r)
			}
		}
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

// archive is where finished segments of the log are kept, for the restore to a moment.
func (c *cluster) archive() string { return filepath.Join(c.dir, "archive") }

// parameters of PostgreSQL that all members have.
func (c *cluster) parameters() map[string]any {
	return map[string]any{
		"max_connections": 200, "fsync": "on", "synchronous_commit": "on", "wal_log_hints": "on",
		"archive_mode": "on", "archive_command": fmt.Sprintf("test -f %[1]s/%%f || cp %%p %[1]s/%%f", c.archive()),
		"shared_buffers": "32MB",
		// A node that hangs in the middle of a transaction keeps its row locks no longer.
		"idle_in_transaction_session_timeout": "10s",
	}
}

// member is the configuration of one Patroni; JSON is YAML, too.
func (c *cluster) member(i int) map[string]any {
	local := "127.0.0.1"
	login := func(name string) map[string]string { return map[string]string{"username": name, "password": "secret"} }
	return map[string]any{
		"scope": "stoa", "name": "member" + strconv.Itoa(i),
		"restapi": map[string]string{
			"listen": fmt.Sprint(local, ":", c.keepers[i]), "connect_address": c.toPatroni[i].address(),
		},
		// Without use_proxies Patroni asks etcd for its address and passes the relay by.
		"etcd3": map[string]any{"hosts": c.toEtcd[i].address(), "use_proxies": true},
		"bootstrap": map[string]any{
			"dcs": map[string]any{
				"ttl": 20, "loop_wait": 2, "retry_timeout": 5, "maximum_lag_on_failover": 1048576,
				"synchronous_mode": true, "synchronous_mode_strict": false,
				"postgresql": map[string]any{"use_pg_rewind": true, "parameters": c.parameters()},
			},
			"initdb": []any{map[string]string{"encoding": "UTF8"}, map[string]string{"locale": "C"}, "data-checksums"},
		},
		"postgresql": map[string]any{
			"listen": fmt.Sprint(local, ":", c.ports[i]), "connect_address": c.toPostgres[i].address(),
			"data_dir": filepath.Join(c.dir, "pg"+strconv.Itoa(i), "data"), "bin_dir": c.bin,
			"pgpass":         filepath.Join(c.dir, "pg"+strconv.Itoa(i), "pass"),
			"authentication": map[string]any{"superuser": login("postgres"), "replication": login("copier")},
			"pg_hba":         []string{"host all all 127.0.0.1/32 md5", "host replication all 127.0.0.1/32 md5"},
			"parameters":     map[string]string{"unix_socket_directories": filepath.Join(c.dir, "pg"+strconv.Itoa(i))},
		},
	}
}

// prepareMember gives a member its ports, relays, folder and configuration.
func (c *cluster) prepareMember(i int) (err error) {
	for port, to := range map[*int]**relay{&c.ports[i]: &c.toPostgres[i], &c.keepers[i]: &c.toPatroni[i]} {
		if *port, err = freePort(); err != nil {
			return err
		}
		if *to, err = newRelay(fmt.Sprintf("127.0.0.1:%d", *port)); err != nil {
			return err
		}
	}
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
	name := "patroni" + strconv.Itoa(i)
	c.patroni[i] = daemon{name: name, command: "patroni", args: []string{file}, database: true}
	return giveToDatabase(folder, file)
}

// startProxy leads to the member that says it is the primary.
func (c *cluster) startProxy() (err error) {
	if c.proxy, err = freePort(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "global\n maxconn 500\ndefaults\n mode tcp\n timeout connect 2s\n timeout client 1h\n"+
		" timeout server 1h\nlisten primary\n bind 127.0.0.1:%d\n option httpchk OPTIONS /primary\n"+
		" http-check expect status 200\n"+
		" default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions\n", c.proxy)
	for i := range members {
		fmt.Fprintf(&b, " server m%d %s check port %d\n", i, c.toPostgres[i].address(), c.toPatroni[i].port())
	}
	file := filepath.Join(c.dir, "haproxy.cfg")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return err
	}
	c.haproxy = daemon{name: "haproxy", command: findProgram("haproxy"), args: []string{"-db", "-f", file}}
	return c.launch(&c.haproxy)
}

// startPool puts pgbouncer in transaction mode before the proxy.
func (c *cluster) startPool() (err error) {
	if c.pool, err = freePort(); err != nil {
		return err
	}
	text := fmt.Sprintf(`[databases]
postgres = host=127.0.0.1 port=%d user=postgres password=secret dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 40
server_connect_timeout = 2
server_login_retry = 1
`, c.proxy, c.pool)
	file := filepath.Join(c.dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	c.pgbouncer = daemon{name: "pgbouncer", command: findProgram("pgbouncer"), args: []string{file}, database: true}
	if err := giveToDatabase(file); err != nil {
		return err
	}
	return c.launch(&c.pgbouncer)
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
