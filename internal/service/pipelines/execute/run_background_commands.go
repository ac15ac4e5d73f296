package execute

import (
	"errors"
	"maps"
	"slices"
)

// runBackground starts a step that runs beside the following ones.
func (n *node) runBackground(st *step) result {
	n.mu.Lock()
	index := len(n.background)
	n.background[st.index] = st
	n.mu.Unlock()
	if err := n.session.start(n.text(st), index, st.sink); err != nil {
		<-n.session.gone
		return n.ended()
	}
	return result{outcome: Success}
}

// watchBackground reports background steps that end by themselves. How they
// end does not decide about the job, which did not wait for them.
func (n *node) watchBackground() {
	for {
		select {
		case r := <-n.session.back:
			n.mu.Lock()
			st := n.background[r.step]
			if st != nil {
				delete(n.background, r.step)
				n.background[-1-r.step] = nil // its stream stays taken
			}
			n.mu.Unlock()
			if st == nil {
				continue
			}
			select {
			case <-st.ended:
			case <-n.session.finished:
			}
			out := result{outcome: Success, code: r.code}
			if r.code != 0 {
				out.outcome, out.reason = Failed, exitReason(r.code)
			}
			if end := n.end(st, out); end.err != nil {
				n.cancel(end.err)
			}
		case <-n.session.gone:
			return
		}
	}
}

// endBackground reports the steps that ran until the job ended.
func (n *node) endBackground(outcome Outcome) error {
	var failed []error
	for _, i := range slices.Sorted(maps.Keys(n.background)) {
		st := n.background[i]
		if st == nil {
			continue
		}
		r := result{outcome: Success, code: -1, reason: "The job ended while this step was running in the background."}
		if outcome == Canceled || outcome == TimedOut || outcome == Infrastructure {
			r.outcome = outcome
		}
		failed = append(failed, n.end(st, r).err)
	}
	return errors.Join(failed...)
}
