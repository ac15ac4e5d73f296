package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Model is an opened model. Count may be called while it generates; Generate,
// Embed and Score are called one at a time.
type Model interface {
	Info() Info
	Count(text string) (int, error)
	// Generate calls emit for each piece and looks at stop before each token.
	Generate(p Prompt, stop func() bool, emit func(Piece) error) (Done, error)
	Embed(text string) ([]float32, error)
	// Score is the logarithm of the probability of a text after a prefix.
	Score(prefix, text string) (float64, error)
}

// Serve is the engine program: it reads requests and writes replies until the
// input ends, which it does when the server closes it or is gone.
func Serve(in io.Reader, out io.Writer, open func(Load) (Model, error)) error {
	s := &server{out: bufio.NewWriter(out), open: open, work: make(chan *task, maxWaiting)}
	var working sync.WaitGroup
	working.Add(1)
	go func() {
		defer working.Done()
		for t := range s.work {
			s.run(t)
		}
	}()
	err := s.read(json.NewDecoder(bufio.NewReader(in)))
	close(s.work)
	s.running.Range(func(_, t any) bool { t.(*task).cancelled.Store(true); return true })
	working.Wait()
	return errors.Join(err, s.writeFailure())
}

// maxWaiting is above the queue of every server.
const maxWaiting = 4096

type server struct {
	open    func(Load) (Model, error)
	model   Model
	work    chan *task
	running sync.Map // number to *task

	mu       sync.Mutex
	out      *bufio.Writer
	writeErr error
}

// task is a request that waits for its turn.
type task struct {
	request   request
	cancelled atomic.Bool
}

func (s *server) read(in *json.Decoder) error {
	for {
		var r request
		if err := in.Decode(&r); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("engine: read a request: %w", err)
		}
		switch {
		case r.Cancel:
			if t, ok := s.running.Load(r.Number); ok {
				t.(*task).cancelled.Store(true)
			}
		case r.Load != nil:
			s.load(r)
		case s.model == nil:
			s.refuse(r.Number, errors.New("no model is loaded"))
		case r.Count != nil:
			s.count(r)
		default:
			t := &task{request: r}
			s.running.Store(r.Number, t)
			s.work <- t
		}
	}
}

func (s *server) load(r request) {
	model, err := s.open(*r.Load)
	if err != nil {
		s.refuse(r.Number, err)
		return
	}
	s.model = model
	info := model.Info()
	s.send(reply{Number: r.Number, Info: &info})
}

// count needs no turn: the vocabulary does not change.
func (s *server) count(r request) {
	counts := make([]int, len(r.Count))
	for i, text := range r.Count {
		n, err := s.model.Count(text)
		if err != nil {
			s.refuse(r.Number, err)
			return
		}
		counts[i] = n
	}
	s.send(reply{Number: r.Number, Counts: counts})
}

// run does one task to its end; a refused task leaves the model as it was.
func (s *server) run(t *task) {
	defer s.running.Delete(t.request.Number)
	number := t.request.Number
	if s.leave(t) {
		return
	}
	switch {
	case t.request.Score != nil:
		s.score(t)
		return
	case t.request.Prompt == nil:
		s.embed(t)
		return
	}
	done, err := s.model.Generate(*t.request.Prompt, t.cancelled.Load, func(p Piece) error {
		s.send(reply{Number: number, Piece: &p})
		return s.writeFailure()
	})
	if err != nil {
		s.refuse(number, err)
		return
	}
	s.send(reply{Number: number, Done: &done})
}

// leave ends a task whose caller has left.
func (s *server) leave(t *task) bool {
	if !t.cancelled.Load() {
		return false
	}
	s.send(reply{Number: t.request.Number, Done: &Done{Ending: EndCancelled}})
	return true
}

func (s *server) embed(t *task) {
	var vectors [][]float32
	for _, text := range t.request.Embed {
		if s.leave(t) {
			return
		}
		v, err := s.model.Embed(text)
		if err != nil {
			s.refuse(t.request.Number, err)
			return
		}
		vectors = append(vectors, v)
	}
	s.send(reply{Number: t.request.Number, Vectors: vectors})
}

func (s *server) score(t *task) {
	var scores []float64
	for _, one := range t.request.Score {
		if s.leave(t) {
			return
		}
		n, err := s.model.Score(one.Prefix, one.Text)
		if err != nil {
			s.refuse(t.request.Number, err)
			return
		}
		scores = append(scores, n)
	}
	s.send(reply{Number: t.request.Number, Scores: scores})
}

func (s *server) refuse(number int64, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		refusal = &Refusal{Message: err.Error()}
	}
	s.send(reply{Number: number, Refusal: refusal})
}

// send writes a reply at once: the reader waits for each piece. The first
// failure to write is kept, and ends what is under way.
func (s *server) send(r reply) {
	b, err := json.Marshal(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writeErr != nil {
		return
	}
	if err == nil {
		_, err = s.out.Write(append(b, '\n'))
	}
	if err == nil {
		err = s.out.Flush()
	}
	s.writeErr = err
}

func (s *server) writeFailure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeErr
}
