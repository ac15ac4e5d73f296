package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// view is what Patroni says of the cluster.
type view struct {
	Members []struct{ Name, Role, State string }
}

// look asks the keepers one after the other.
func (c *cluster) look(ctx context.Context) (v view, err error) {
	for i := range members {
		if c.away[i] {
			continue
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		_, content, asked := c.ask(short, i, http.MethodGet, "/cluster", nil)
		cancel()
		if asked == nil && json.Unmarshal(content, &v) == nil && len(v.Members) > 0 {
			return v, nil
		}
		err = errors.Join(err, asked)
	}
	return v, errors.Join(errors.New("no keeper answers"), err)
}

// leader is the number of the primary.
func (c *cluster) leader(ctx context.Context) (int, error) {
	v, err := c.look(ctx)
	for _, m := range v.Members {
		if m.Role == "leader" && m.State == "running" {
			return strconv.Atoi(strings.TrimPrefix(m.Name, "member"))
		}
	}
	return 0, errors.Join(errors.New("there is no primary"), err)
}

// streaming is how many standbys there are; one of them is synchronous.
func (c *cluster) streaming(ctx context.Context) (n int) {
	v, err := c.look(ctx)
	if err != nil {
		return 0
	}
	synchronous := 0
	for _, m := range v.Members {
		if m.Role != "leader" && (m.State == "running" || m.State == "streaming") {
			n++
		}
		if m.Role == "sync_standby" {
			synchronous++
		}
	}
	if synchronous == 0 {
		return 0
	}
	return n
}

// switchover asks for another primary, in order.
func (c *cluster) switchover(ctx context.Context) error {
	was, err := c.leader(ctx)
	if err != nil {
		return err
	}
	status, content, err := c.ask(ctx, was, http.MethodPost, "/switchover",
		map[string]string{"leader": "member" + strconv.Itoa(was)})
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("switchover: %d %s: %w", status, content, err)
	}
	return c.awaitOther(ctx, was, members-1)
}

// restartPrimary ends the primary's PostgreSQL and lets its keeper start it again.
func (c *cluster) restartPrimary(ctx context.Context) error {
	was, err := c.leader(ctx)
	if err != nil {
		return err
	}
	status, content, err := c.ask(ctx, was, http.MethodPost, "/restart", map[string]string{})
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("restart: %d %s: %w", status, content, err)
	}
	return c.awaitStandbys(ctx)
}

// fail does something to the primary, waits for another, and brings the old one back.
func (c *cluster) fail(ctx context.Context, do func(i int) error) error {
	was, err := c.leader(ctx)
	if err != nil {
		return err
	}
	if err := do(was); err != nil {
		return err
	}
	c.away[was] = true
	if err := c.awaitOther(ctx, was, members-2); err != nil {
		return err
	}
	if err := rest(ctx, 3*time.Second); err != nil { // writes at the new one
		return err
	}
	// Before it comes back the old primary is ended: it must not write any more.
	c.patroni[was].kill()
	if err := c.endPostgres(was); err != nil {
		return err
	}
	if err := c.launch(&c.patroni[was]); err != nil {
		return err
	}
	c.away[was] = false
	return c.awaitOther(ctx, was, members-1)
}

// isolate cuts the primary off from etcd, the proxy and the other members, waits for
// another primary, and gives it its network back.
func (c *cluster) isolate(ctx context.Context) error {
	was, err := c.leader(ctx)
	if err != nil {
		return err
	}
	c.setMember(was, linkCut)
	c.away[was] = true
	if err := c.awaitOther(ctx, was, members-2); err != nil {
		return err
	}
	if err := rest(ctx, 3*time.Second); err != nil { // writes at the new one
		return err
	}
	c.setMember(was, linkOpen)
	c.away[was] = false
	return c.awaitOther(ctx, was, members-1)
}

func (c *cluster) setMember(i int, s linkState) {
	for _, r := range []*relay{c.toPostgres[i], c.toPatroni[i], c.toEtcd[i]} {
		r.set(s)
	}
}

// withoutEtcd: the primary steps down when it cannot keep its key.
func (c *cluster) withoutEtcd(ctx context.Context, d time.Duration) error {
	c.etcd.kill()
	if err := rest(ctx, d); err != nil {
		return err
	}
	if err := c.launch(&c.etcd); err != nil {
		return err
	}
	return c.awaitStandbys(ctx)
}

func (c *cluster) awaitOther(ctx context.Context, was, standbys int) error {
	what := fmt.Sprintf("another primary than %d with %d standbys", was, standbys)
	return c.await(ctx, 2*time.Minute, what, func() bool {
		now, err := c.leader(ctx)
		return err == nil && now != was && c.streaming(ctx) >= standbys
	})
}

// kill ends the keeper and its PostgreSQL as a machine that loses its power does.
func (c *cluster) kill(i int) error { return c.signal(i, syscall.SIGKILL) }

// pause stops both, as a machine that hangs does.
func (c *cluster) pause(i int) error { return c.signal(i, syscall.SIGSTOP) }

func (c *cluster) signal(i int, s syscall.Signal) error {
	pids := descendants(c.patroni[i].cmd.Process.Pid)
	if main, err := c.postmaster(i); err == nil {
		pids = append(pids, descendants(main)...)
	}
	slices.Sort(pids)
	for _, pid := range slices.Compact(pids) {
		if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// endPostgres makes sure that no server of the member runs.
func (c *cluster) endPostgres(i int) error {
	main, err := c.postmaster(i)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, pid := range descendants(main) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return nil
}

// postmaster is the first process of the member's PostgreSQL.
func (c *cluster) postmaster(i int) (int, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, "pg"+strconv.Itoa(i), "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// childrenByParent reads the processes of this machine.
func childrenByParent() map[int][]int {
	children := map[int][]int{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return children
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		at := strings.LastIndexByte(string(text), ')') // a name may hold spaces
		fields := strings.Fields(string(text[at+1:]))
		pid, err1 := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, err2 := strconv.Atoi(fields[1])
		if err1 == nil && err2 == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}
