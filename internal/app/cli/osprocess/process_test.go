package osprocess

import (
	"os"
	"os/exec"
	"testing"
)

func TestEnd(t *testing.T) {
	t.Parallel()
	if !Alive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	child := exec.Command(os.Args[0], "-test.run", "^$", "-test.v")
	child.SysProcAttr = Detached()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	// It may have ended by itself: it has nothing to do, and is no error until it is waited for.
	if err := End(child.Process.Pid); err != nil {
		t.Errorf("end a child: %v", err)
	}
	_ = child.Wait() // it was killed, or came first
	if Alive(child.Process.Pid) {
		t.Error("a child that was waited for is alive")
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	if len(HandedOn()) == 0 {
		t.Error("no signal is handed on")
	}
	for _, s := range HandedOn() {
		if s == os.Kill || FromTerminal(os.Kill) {
			t.Errorf("%v cannot be handed on", s)
		}
	}
}
