package main

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// daemon is a program that can be killed and started again as it was.
type daemon struct {
	name, command string
	args          []string
	database      bool // run as PostgreSQL's user where this process is root
	env           []string
	cmd           *exec.Cmd
}

// launch starts the program in a session of its own, with a log.
func (c *cluster) launch(d *daemon) error {
	log, err := os.OpenFile(filepath.Join(c.dir, d.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(d.command, d.args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.dir
	if len(d.env) > 0 {
		cmd.Env = d.env
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if uid, gid, ok := databaseUser(); ok && d.database {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	d.cmd = cmd
	c.started = append(c.started, cmd)
	return log.Close()
}

// kill ends the program and what came from it, as a power cut does.
func (d *daemon) kill() {
	for _, pid := range descendants(d.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
	}
	_ = d.cmd.Wait()
}

// stop ends every program that was started.
func (c *cluster) stop() {
	for _, cmd := range c.started {
		for _, pid := range descendants(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = cmd.Wait()
	}
	for i := range members {
		_ = c.endPostgres(i) // Patroni starts it apart from itself
	}
	for _, r := range c.relays() {
		r.close()
	}
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

// giveToDatabase makes PostgreSQL's user the owner of files.
func giveToDatabase(paths ...string) error {
	uid, gid, ok := databaseUser()
	if !ok {
		return nil
	}
	var err error
	for _, p := range paths {
		err = errors.Join(err, os.Chown(p, uid, gid))
	}
	return err
}

// findProgram finds one that may be installed outside of PATH.
func findProgram(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return filepath.Join("/usr/sbin", name)
}

// descendants are a process and all that came from it.
func descendants(root int) []int {
	children := childrenByParent()
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}
