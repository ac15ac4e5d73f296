package runner

import "context"

// Settle waits until no job of this process's runs or can run, and says whether one did.
func (r *Runner) Settle(ctx context.Context) (waited bool, err error) {
	for r.queue.cancel != nil {
		id, err := firstUnfinished(ctx, r.world.DB)
		if err != nil || id == 0 {
			return waited, err
		}
		waited = true
		if err := r.awaitChange(ctx, id); err != nil {
			return true, err
		}
	}
	return waited, nil
}

// Busy reports whether a job of this process's runs or can run.
func (r *Runner) Busy(ctx context.Context) (bool, error) {
	if r.queue.cancel == nil {
		return false, nil
	}
	id, err := firstUnfinished(ctx, r.world.DB)
	return id != 0, err
}

// awaitChange waits until a job that runs or can run is another.
func (r *Runner) awaitChange(ctx context.Context, id int64) error {
	heard, end := r.Watch(id)
	defer end()
	// It may have ended before it was watched.
	if now, err := firstUnfinished(ctx, r.world.DB); err != nil || now != id {
		return err
	}
	select {
	case <-heard:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
