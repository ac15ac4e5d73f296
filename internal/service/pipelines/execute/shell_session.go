package execute

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/sandbox"
)

// Descriptors inside the sandbox. The supervisor is a plain shell that takes
// its commands from standard input; a shell names single digits only.
const (
	fdOut     = 3 // what foreground steps print
	fdControl = 4 // how steps ended
	fdDataOut = 5 // archives and files on their way out
	fdDataIn  = 6 // archives on their way in
	fdLengths = 7 // lengths of the pieces of fdDataIn
	fdFirst   = 8 // what background steps print, one each
)

// FirstBackground is the first descriptor of steps in the background, which they open by its name.
const FirstBackground = fdFirst

// IsInward reports whether the shell reads a descriptor; the others it writes.
func IsInward(fd int) bool { return fd == 0 || fd == fdDataIn || fd == fdLengths }

// closed keeps our pipes from the programs of a step.
const closed = "3>&- 4>&- 5>&- 6<&- 7<&- 8>&- 9>&-"

// session is the sandbox of one node, open from its first command to its end.
// One shell in it runs everything, so that steps see each other's processes
// and files.
type session struct {
	// program runs the shell, here or elsewhere.
	program programRunner
	spec    sandbox.Spec
	marker  []byte
	longest int

	commands *os.File
	out      *stream
	data     *os.File
	dataIn   *os.File
	lengths  *os.File
	behind   []*stream // of background steps
	// behindPath is the folder in which their pipes are seen inside.
	behindPath string

	reports chan report
	back    chan report

	// gone is closed when the sandbox has ended; exit and err say how.
	gone chan struct{}
	exit sandbox.Exit
	err  error
	stop context.CancelCauseFunc

	// finished is closed when the readers are done and every pipe is closed.
	finished chan struct{}

	theirs, ours []*os.File
	reading      sync.WaitGroup
	complaint    bytes.Buffer
}

// programRunner runs a program to its end.
type programRunner func(ctx context.Context, spec sandbox.Spec) (sandbox.Exit, error)

// report is a line of the supervisor.
type report struct {
	step int
	code int
	halt bool
}

// errOver is the cause with which a session is closed when its job is done.
var errOver = errors.New("execute: the job is done")

// openSession starts the sandbox. background is the number of streams for
// steps in the background, longest the most that is held back of a stream.
func openSession(
	ctx context.Context, program programRunner, spec sandbox.Spec, background, longest int,
) (*session, error) {
	s := &session{
		program: program, spec: spec, behindPath: "/proc/self/fd", longest: longest,
		gone: make(chan struct{}), finished: make(chan struct{}),
		reports: make(chan report), back: make(chan report),
		// The name of the work folder is random, so this is not printed by chance.
		marker: []byte("\x00\x01stoa-" + filepath.Base(filepath.Dir(spec.Dir)) + "\x01\x00"),
	}
	if err := s.pipes(background); err != nil {
		s.closeAll()
		return nil, err
	}
	s.spec.Args = []string{"/bin/sh", "-s"}
	s.spec.Stdout, s.spec.Stderr = &s.complaint, &s.complaint
	ctx, s.stop = context.WithCancelCause(ctx)
	go s.run(ctx)
	return s, nil
}

// pipes makes all pipes; what the program gets is in spec.
func (s *session) pipes(background int) error {
	var failed error
	pipe := func(outward bool) *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			failed = fmt.Errorf("execute: no pipe: %w", err)
			return nil
		}
		mine, its := r, w
		if !outward {
			mine, its = w, r
		}
		s.ours, s.theirs = append(s.ours, mine), append(s.theirs, its)
		return mine
	}
	s.commands = pipe(false)
	out, control := pipe(true), pipe(true)
	s.data, s.dataIn, s.lengths = pipe(true), pipe(false), pipe(false)
	var behind []*os.File
	for range background {
		behind = append(behind, pipe(true))
	}
	if failed != nil {
		return failed
	}
	s.spec.Stdin, s.spec.Files = s.theirs[0], s.theirs[1:]
	s.out = s.read(out)
	for _, f := range behind {
		s.behind = append(s.behind, s.read(f))
	}
	s.reading.Go(func() { s.control(control) })
	return nil
}

func (s *session) read(f *os.File) *stream {
	out := &stream{pipe: f, marker: s.marker, longest: s.longest}
	s.reading.Go(out.run)
	return out
}

// run holds the sandbox and, when it has ended, lets the readers finish what
// is left in the pipes.
func (s *session) run(ctx context.Context) {
	s.exit, s.err = s.program(ctx, s.spec)
	for _, f := range s.theirs {
		_ = f.Close() // ends of pipes
	}
	close(s.gone)
	s.reading.Wait()
	for _, f := range s.ours {
		_ = f.Close() // ends of pipes
	}
	s.stop(errOver)
	close(s.finished)
}

func (s *session) closeAll() {
	for _, f := range append(s.theirs, s.ours...) {
		_ = f.Close() // ends of pipes
	}
}

// control reads the reports. A job can forge them, which changes what is said
// about that job and nothing else; garbage is passed over.
func (s *session) control(from io.Reader) {
	lines := bufio.NewReaderSize(from, 256)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return
		}
		words := strings.Fields(string(line))
		if len(words) < 3 {
			continue
		}
		step, err1 := strconv.Atoi(words[1])
		code, err2 := strconv.Atoi(words[2])
		if err1 != nil || err2 != nil {
			continue
		}
		to := s.reports
		if words[0] == "b" {
			to = s.back
		}
		select {
		case to <- report{step: step, code: code, halt: len(words) > 3 && words[3] == "halt"}:
		case <-s.gone:
			return
		}
	}
}

// close ends the sandbox and waits until nothing of it is left.
func (s *session) close() {
	s.stop(errOver)
	<-s.finished
}

// send gives the supervisor a command. It fails when the sandbox is gone.
func (s *session) send(text string) error {
	_, err := s.commands.WriteString(text + "\n")
	return err
}

// mark is the shell text that ends the output of a step.
func (s *session) mark(fd int) string {
	// Octal escapes are the only ones that every printf knows.
	m := strings.NewReplacer("\x00", `\000`, "\x01", `\001`).Replace(string(s.marker))
	return fmt.Sprintf("printf '%s' >&%d", m, fd)
}

// call runs shell text in the foreground, its output going to the sink, and
// returns its exit code. errGone means that the sandbox ended first.
func (s *session) call(text string, to *sink) (report, error) {
	to.touch()
	s.out.to(to)
	quiet := to.clock.NewTimer(to.silence)
	defer func() { quiet.Stop() }()
	command := fmt.Sprintf("( %s\n) </dev/null >&3 2>&1; c=$?; %s; h=; [ -e \"$HOME/.stoa/halt\" ] && h=halt; echo "+
		"\"f %d $c $h\" >&4", text, s.mark(fdOut), to.step)
	if err := s.send(command); err != nil {
		<-s.gone
	}
	for {
		select {
		case r := <-s.reports:
			if r.step != to.step {
				continue
			}
			select {
			case <-to.ended:
			case <-s.gone:
				s.reading.Wait()
			}
			return r, nil
		case <-quiet.C:
			idle := to.idle()
			if idle >= to.silence {
				to.fail(errSilent)
			}
			quiet = to.clock.NewTimer(max(to.silence-idle, time.Second))
		case <-s.gone:
			s.reading.Wait()
			return report{}, errGone
		}
	}
}

// errGone says that the sandbox ended while a step was running.
var errGone = errors.New("execute: the sandbox ended")

// start runs shell text in the background, its output going to the sink. Its
// end comes as a report on back.
func (s *session) start(text string, index int, to *sink) error {
	s.behind[index].to(to)
	// The pipe has a number that this shell may not be able to write.
	pipe := fmt.Sprintf("%s/%d", s.behindPath, fdFirst+index)
	mark := strings.TrimSuffix(s.mark(0), ">&0") + ">" + pipe
	return s.send(fmt.Sprintf("( ( %s\n) </dev/null >%s 2>&1 %s; c=$?; %s; echo \"b %d $c\" >&%d ) &", text, pipe,
		closed, mark, to.step, fdControl))
}

// pull runs shell text that writes to fdDataOut and hands what it writes to
// use. The rest of what use leaves unread is read away.
func (s *session) pull(text string, to *sink, use func(io.Reader) error) (int, error) {
	part := newPart(s.data, s.marker)
	from := heard{part, to}
	result := make(chan error, 1)
	go func() {
		err := use(from)
		if err != nil {
			_, _ = io.Copy(io.Discard, from) // the shell must get rid of it
			result <- err
			return
		}
		_, err = io.Copy(io.Discard, from)
		result <- err
	}()
	r, err := s.call(fmt.Sprintf("( %s\n)\nc=$?; printf '%%03d' $c >&%d; %s; exit $c", text, fdDataOut,
		s.mark(fdDataOut)), to)
	if err != nil {
		// No process can write any more, so the reading ends.
		<-result
		return 0, err
	}
	return r.code, <-result
}

// heard counts reading as a sign of life of a step.
type heard struct {
	io.Reader
	of *sink
}

// Read implements io.Reader.
func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.of.touch()
	return n, err
}

// pieceSize is how much of an archive travels at once on its way in.
const pieceSize = 1 << 20

// push runs shell text whose standard input is what from yields.
func (s *session) push(text string, to *sink, from io.Reader) (int, error) {
	result := make(chan error, 1)
	go func() { result <- s.feed(heard{from, to}) }()
	// The program reads a pipe that ends; what it does not read is read away.
	r, err := s.call(fmt.Sprintf(`while read -r n <&%d && [ "$n" -gt 0 ]; do `+
		`dd bs="$n" count=1 iflag=fullblock <&%d 2>/dev/null; done | { %s
c=$?; cat >/dev/null; exit $c; }`, fdLengths, fdDataIn, text), to)
	if err != nil {
		<-result // no process reads any more, so the writing ends
		return 0, err
	}
	return r.code, <-result
}

// feed sends pieces with their lengths, then a length of 0.
func (s *session) feed(from io.Reader) error {
	buf := make([]byte, pieceSize)
	for {
		n, err := fill(from, buf)
		if n > 0 {
			if _, err := fmt.Fprintf(s.lengths, "%d\n", n); err != nil {
				return err
			}
			if _, err := s.dataIn.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			_, failed := s.lengths.WriteString("0\n")
			return errors.Join(err, failed)
		}
	}
}

// fill reads until buf is full. The error is the reader's own.
func fill(from io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var more int
		more, err = from.Read(buf[n:])
		n += more
	}
	return n, err
}
