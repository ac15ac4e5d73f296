package runner

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrEnded is the error of a function that ended its goroutine.
var ErrEnded = errors.New("the run function ended its goroutine")

// Panic is the error of a function that panicked.
type Panic struct {
	Value any
	Stack string
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Start calls fn in a goroutine of its own and gives its error, or what ended it instead.
func Start(fn func() error) <-chan error {
	result := make(chan error, 1)
	go survive(fn, result)
	return result
}

func survive(fn func() error, result chan<- error) {
	err := ErrEnded
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, string(debug.Stack())}
		}
		result <- err
	}()
	err = fn()
}

// Runner is for one caller at a time. Its zero value is ready; Close ends its goroutine.
type Runner struct {
	calls chan func()
	ended chan struct{} // closed when the goroutine is gone
}

// Start is Start in the runner's goroutine, after what it was given before. A function that
// ends its goroutine ends none but that: the next one gets another.
func (r *Runner) Start(fn func() error) <-chan error {
	result := make(chan error, 1)
	call := func() { survive(fn, result) }
	if r.calls == nil {
		r.open()
	}
	select {
	case r.calls <- call:
	case <-r.ended:
		r.open()
		r.calls <- call
	}
	return result
}

func (r *Runner) open() {
	calls, ended := make(chan func()), make(chan struct{})
	r.calls, r.ended = calls, ended
	go func() {
		defer close(ended)
		for call := range calls {
			call()
		}
	}()
}

// Close lets the goroutine end. It does not wait for what it runs.
func (r *Runner) Close() {
	if r.calls != nil {
		close(r.calls)
	}
}
