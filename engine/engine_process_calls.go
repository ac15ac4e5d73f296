package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// process is a running engine program.
type process struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	replies *os.File
	// printed is the end of what the program printed, for the operator.
	printed *lastOutput

	mu     sync.Mutex
	calls  map[int64]*call
	number int64
	err    error // why the program is gone

	// writing keeps requests apart. It is not mu: a writer that waits for the
	// program to read must not keep listen from taking what the program writes,
	// or each would wait for the other.
	writing sync.Mutex
	encoder *json.Encoder

	// used is signalled whenever a call begins or ends; exited is closed at the end.
	used   chan struct{}
	exited chan struct{}
}

// call is a request under way.
type call struct {
	// replies holds everything that can come, so that a slow reader does not hold
	// up the other calls.
	replies chan reply
	// ended runs once, when the engine is done with the request, which may be
	// long after its caller has left.
	ended func()
}

// startProcess runs the program with nothing of the server's environment.
func startProcess(program string) (*process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	printed := &lastOutput{}
	cmd := exec.CommandContext(context.Background(), program) // it outlives every request
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdout, cmd.Stderr = printed, printed
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = write.Close() // the program has its own
	if err != nil {
		_ = read.Close()
		return nil, fmt.Errorf("engine: the engine program does not start: %w", err)
	}
	p := &process{
		cmd: cmd, input: input, replies: read, printed: printed, encoder: json.NewEncoder(input),
		calls: map[int64]*call{}, used: make(chan struct{}, 1), exited: make(chan struct{}),
	}
	go p.listen()
	return p, nil
}

// send starts a call that has at most maxReplies.
func (p *process) send(r request, maxReplies int, ended func()) (int64, *call, error) {
	c := &call{replies: make(chan reply, maxReplies), ended: ended}
	p.mu.Lock()
	if p.err != nil {
		defer p.mu.Unlock()
		return 0, nil, p.err
	}
	p.number++
	r.Number = p.number
	p.calls[r.Number] = c
	p.mu.Unlock()
	if err := p.write(r); err != nil && p.forget(r.Number) {
		return 0, nil, fmt.Errorf("engine: the engine program does not listen: %w", err)
	}
	return r.Number, c, nil
}

func (p *process) write(r request) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.encoder.Encode(r)
}

// forget drops a call; false means that listen has ended it.
func (p *process) forget(number int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.calls[number]
	delete(p.calls, number)
	return known
}

// cancel says that the caller of a request has left. A program that does not
// listen is dead, which listen finds out.
func (p *process) cancel(number int64) { _ = p.write(request{Number: number, Cancel: true}) }

// listen hands out replies until the program ends, and then ends every call.
func (p *process) listen() {
	decoder := json.NewDecoder(bufio.NewReaderSize(p.replies, 64<<10))
	var err error
	for err == nil {
		var r reply
		if err = decoder.Decode(&r); err == nil {
			p.deliver(r)
		}
	}
	_ = p.replies.Close()
	if !errors.Is(err, io.EOF) {
		_ = p.cmd.Process.Kill() // what it sends is not a reply
	}
	status := "without an error"
	if err := p.cmd.Wait(); err != nil {
		status = err.Error()
	}
	p.mu.Lock()
	p.err = fmt.Errorf("engine: the engine program ended (%s)%s", status, p.printed)
	calls := p.calls
	p.calls = nil
	p.mu.Unlock()
	for _, c := range calls {
		close(c.replies)
		c.ended()
	}
	close(p.exited)
}

func (p *process) deliver(r reply) {
	last := r.Piece == nil
	p.mu.Lock()
	c := p.calls[r.Number]
	if last {
		delete(p.calls, r.Number)
	}
	p.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case c.replies <- r:
	default: // more than it was asked for: a fault, and the caller sees the end
	}
	if last {
		close(c.replies)
		c.ended()
	}
}

// failure is why the program is gone, nil while it runs.
func (p *process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// kill ends the program at once and waits for it; it has nothing to save.
func (p *process) kill() {
	p.end()
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.exited
}

// end lets the program finish what it does.
func (p *process) end() { _ = p.input.Close() } // it may be gone already

// lastOutput keeps the end of what a program prints.
type lastOutput struct {
	mu   sync.Mutex
	text []byte
}

const maxLastOutput = 2048

func (w *lastOutput) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	if over := len(w.text) - maxLastOutput; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(b), nil
}

// String is the last line, with a colon before it, or nothing.
func (w *lastOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(w.text), "")), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
