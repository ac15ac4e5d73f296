package engine

import "errors"

// launch is a program from its start on. Loading a model takes seconds, and no
// lock is held meanwhile.
type launch struct {
	// child is set as soon as there is a process, for Close.
	child *process
	// ready is closed when the model is loaded or err is set; info is valid then.
	ready chan struct{}
	info  Info
	err   error
}

// failed reports whether the launch, or the program after it, has failed.
func (l *launch) failed() bool {
	select {
	case <-l.ready:
		return l.err != nil || l.child.failure() != nil
	default:
		return false
	}
}

// run starts a program, loads the model, and watches until it ends.
func (c *Client) run(l *launch) {
	l.err = c.start(l)
	close(l.ready)
	if l.err == nil {
		c.watch(l)
	} else if l.child != nil {
		l.child.kill()
	}
}

func (c *Client) start(l *launch) error {
	program, err := c.o.Program()
	if err != nil {
		return err
	}
	load, err := c.o.Load()
	if err != nil {
		return err
	}
	p, err := c.startProcess(l, program)
	if err != nil {
		return err
	}
	_, call, err := p.send(request{Load: &load}, 1, func() {})
	if err != nil {
		return err
	}
	r, ok := <-call.replies
	switch {
	case !ok:
		<-p.exited
		return p.failure()
	case r.Refusal != nil:
		return r.Refusal
	case r.Info == nil:
		return errors.New("engine: the engine program sent something that is not an answer")
	}
	l.info = *r.Info
	return nil
}

// startProcess runs the program, unless the client is closed: Close ends what it
// finds here, also while the model loads.
func (c *Client) startProcess(l *launch, program string) (*process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	var err error
	l.child, err = startProcess(program)
	return l.child, err
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// watch ends a program that was not used for a while.
func (c *Client) watch(l *launch) {
	p := l.child
	for {
		fired, stop := c.o.NewTimer(c.o.Idle)
		select {
		case <-p.exited:
			stop()
			return
		case <-p.used:
			stop()
		case <-fired:
			if c.stopIdle(l) {
				<-p.exited
				return
			}
		}
	}
}

func (c *Client) stopIdle(l *launch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight > 0 {
		return false
	}
	if c.current == l {
		c.current = nil
	}
	l.child.end()
	return true
}

// Close ends the program, also one that is still loading. Calls under way fail.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	var p *process
	if c.current != nil {
		p = c.current.child
	}
	c.mu.Unlock()
	if p != nil {
		p.kill()
	}
	c.watchers.Wait()
}

// Running reports whether the model is in memory.
func (c *Client) Running() bool {
	c.mu.Lock()
	l := c.current
	c.mu.Unlock()
	if l == nil || l.failed() {
		return false
	}
	select {
	case <-l.ready:
		return true
	default:
		return false
	}
}
