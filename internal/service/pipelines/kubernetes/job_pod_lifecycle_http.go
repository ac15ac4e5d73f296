package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/platform/clock"
)

// create makes a Job. Its name is drawn here, so that one which is there at a second attempt
// is that of the first, whose answer was lost.
func (c *Cluster) create(ctx context.Context, object job) error {
	return c.api.persist(ctx, func(again bool) error {
		err := c.api.callOnce(ctx, http.MethodPost, c.jobs(), nil, object, nil)
		if again && isAnswer(err, http.StatusConflict) {
			return nil
		}
		return err
	})
}

// podOf finds the pod of a Job; nil when there is none.
func (c *Cluster) podOf(ctx context.Context, name string) (*pod, error) {
	var list podList
	err := c.api.call(ctx, http.MethodGet, podsPath(c.config.Namespace),
		url.Values{"labelSelector": {jobLabel + "=" + name}}, nil, &list)
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return &list.Items[0], nil
}

// main is the state of the container that runs the steps; nil before it has one.
func (p *pod) main() *containerStatus {
	i := slices.IndexFunc(p.Status.ContainerStatuses, func(s containerStatus) bool { return s.Name == mainContainer })
	if i < 0 {
		return nil
	}
	return &p.Status.ContainerStatuses[i]
}

// permanentReasons are those for which a container that waits will never run.
func permanentReasons() []string {
	return []string{
		"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError",
		"CreateContainerError", "RunContainerError",
	}
}

// awaitRunning waits for the pod of a Job, and gives its name.
func (c *Cluster) awaitRunning(ctx context.Context, name string) (string, error) {
	end := c.clock.Now().Add(c.config.StartTimeout)
	why := "it has no pod"
	for {
		p, err := c.podOf(ctx, name)
		if err != nil {
			return "", err
		}
		if p != nil {
			why = p.waits()
			if state := p.main(); state != nil && state.State.Running != nil {
				return p.Metadata.Name, nil
			}
			if p.isOver() {
				return "", fmt.Errorf("kubernetes: the pod ended before it ran: %s", why)
			}
			for _, s := range p.Status.ContainerStatuses {
				if w := s.State.Waiting; w != nil && slices.Contains(permanentReasons(), w.Reason) {
					return "", fmt.Errorf("kubernetes: container %s cannot run: %s: %s", s.Name, w.Reason, w.Message)
				}
			}
		}
		if c.clock.Now().After(end) {
			return "", fmt.Errorf("kubernetes: the pod does not run after %s: %s", c.config.StartTimeout, why)
		}
		if err := clock.Sleep(ctx, c.clock, lookInterval); err != nil {
			return "", context.Cause(ctx)
		}
	}
}

func (p *pod) isOver() bool { return p.Status.Phase == "Failed" || p.Status.Phase == "Succeeded" }

// waits says what a pod is waiting for, or how it ended.
func (p *pod) waits() string {
	text := p.Status.Phase + " " + p.Status.Reason + " " + p.Status.Message
	for _, s := range p.Status.ContainerStatuses {
		if w := s.State.Waiting; w != nil {
			text += "; container " + s.Name + ": " + w.Reason + " " + w.Message
		}
	}
	return text
}

// remove deletes a Job with its pod, and waits until the pod is gone.
func (c *Cluster) remove(ctx context.Context, name string) error {
	err := c.api.call(ctx, http.MethodDelete, c.jobs()+"/"+name,
		url.Values{"propagationPolicy": {"Background"}}, nil, nil)
	if err != nil && !isAnswer(err, http.StatusNotFound) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	for {
		p, err := c.podOf(ctx, name)
		if err != nil || p == nil {
			return err
		}
		if p.Metadata.DeletionTimestamp == "" {
			err := c.api.call(ctx, http.MethodDelete, podPath(c.config.Namespace, p.Metadata.Name), nil, nil, nil)
			if err != nil && !isAnswer(err, http.StatusNotFound) {
				return err
			}
		}
		if clock.Sleep(ctx, c.clock, lookInterval/4) != nil {
			return errors.New("kubernetes: the pod of the node is being deleted and is still there")
		}
	}
}

// lastWords are the end of what the container's own shell printed.
func (c *Cluster) lastWords(ctx context.Context, name string) []byte {
	text, err := c.api.send(ctx, http.MethodGet, podPath(c.config.Namespace, name)+"/log",
		url.Values{"container": {mainContainer}, "tailLines": {"20"}}, nil)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}
