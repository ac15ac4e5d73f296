package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// processes are programs that were started, each in a process group of its own with its
// log in a folder.
type processes struct {
	dir     string
	started []*exec.Cmd
}

// launch appends to the log when a program is started again.
func (p *processes) launch(name, command string, args ...string) (*exec.Cmd, error) {
	log, err := os.OpenFile(filepath.Join(p.dir, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.started = append(p.started, cmd)
	return cmd, log.Close()
}

// end kills a program as a power cut would and waits for it. It may be called twice.
func (p *processes) end(cmd *exec.Cmd) {
	if cmd.ProcessState != nil {
		return
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait() // it was killed
}

func (p *processes) stop() {
	for i := len(p.started) - 1; i >= 0; i-- {
		p.end(p.started[i])
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
