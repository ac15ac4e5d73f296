package llama

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
	// complaints are the last words of the program, for the operator.
	complaints *lastWords

	mu     sync.Mutex
	calls  map[int64]*call
	number int64
	dead   error

	// writing keeps requests apart. It is not mu: whoever waits for the program
	// to read must not keep listen from taking what the program writes, or each
	// would wait for the other.
	writing sync.Mutex
	encoder *json.Encoder

	// used is poked whenever a call begins or ends; gone is closed at the end.
	used chan struct{}
	gone chan struct{}
}

// call is a request under way.
type call struct {
	// replies has room for everything that can come, so that a reader who
	// dawdles holds up nobody else.
	replies chan reply
	// ended runs once, when the engine is done with the request, which may be
	// long after its caller has left.
	ended func()
}

// start runs the program with nothing of the server's environment.
func start(program string) (*process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("llama: %w", err)
	}
	words := &lastWords{}
	cmd := exec.CommandContext(context.Background(), program) // its end is our own business
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdout, cmd.Stderr = words, words
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = write.Close() // the program has its own
	if err != nil {
		_ = read.Close()
		return nil, fmt.Errorf("llama: the engine program does not start: %w", err)
	}
	p := &process{
		cmd: cmd, input: input, replies: read, complaints: words, encoder: json.NewEncoder(input),
		calls: map[int64]*call{}, used: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	go p.listen()
	return p, nil
}

// send starts a call. room is how many replies it may have at most.
func (p *process) send(r request, room int, ended func()) (int64, *call, error) {
	c := &call{replies: make(chan reply, room), ended: ended}
	p.mu.Lock()
	if p.dead != nil {
		defer p.mu.Unlock()
		return 0, nil, p.dead
	}
	p.number++
	r.Number = p.number
	p.calls[r.Number] = c
	p.mu.Unlock()
	if err := p.write(r); err != nil && p.drop(r.Number) {
		return 0, nil, fmt.Errorf("llama: the engine program does not listen: %w", err)
	}
	return r.Number, c, nil
}

func (p *process) write(r request) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.encoder.Encode(r)
}

// drop forgets a call; false means that listen has ended it.
func (p *process) drop(number int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ours := p.calls[number]
	delete(p.calls, number)
	return ours
}

// cancel tells the engine that nobody waits for the request. A program that
// does not listen is dead, which listen finds out.
func (p *process) cancel(number int64) { _ = p.write(request{Number: number, Cancel: true}) }

// listen hands out replies until the program ends, then tells everybody.
func (p *process) listen() {
	decoder := json.NewDecoder(bufio.NewReaderSize(p.replies, 64<<10))
	var err error
	for err == nil {
		var r reply
		if err = decoder.Decode(&r); err == nil {
			p.hand(r)
		}
	}
	_ = p.replies.Close()
	if !errors.Is(err, io.EOF) {
		_ = p.cmd.Process.Kill() // it speaks nonsense
	}
	ended := "without a word"
	if err := p.cmd.Wait(); err != nil {
		ended = err.Error()
	}
	p.mu.Lock()
	p.dead = fmt.Errorf("llama: the engine program ended (%s)%s", ended, p.complaints)
	calls := p.calls
	p.calls = nil
	p.mu.Unlock()
	for _, c := range calls {
		close(c.replies)
		c.ended()
	}
	close(p.gone)
}

func (p *process) hand(r reply) {
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

// failure is why the program is gone.
func (p *process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// kill ends the program at once and waits for it; it has nothing to save.
func (p *process) kill() {
	p.end()
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.gone
}

// end lets the program finish what it does.
func (p *process) end() { _ = p.input.Close() } // it may be gone already

// lastWords keeps the end of what a program prints.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const mostWords = 2048

// Write keeps the last bytes.
func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	if over := len(w.text) - mostWords; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(b), nil
}

// String is the last line, with a colon before it, or nothing.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(w.text), "")), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
