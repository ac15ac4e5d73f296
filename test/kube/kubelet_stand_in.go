package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const nodeName = "stand-in"

// kubelet stands in for the scheduler and for a node: it binds every pod to itself and
// runs the first container's command on this machine under bubblewrap, with the pod's
// volumes. The image is noted and not pulled. Further containers do not run.
type kubelet struct {
	api     *apiClient
	dir     string
	serving certificates
	server  *http.Server

	mu     sync.Mutex
	pods   map[string]*standInPod // by namespace/name
	images map[string]int         // how often each was asked for
	most   int                    // pods at once
}

// standInPod is a pod that runs here.
type standInPod struct {
	mounts []string // arguments of bubblewrap
	cmd    *exec.Cmd
	log    string
	over   chan struct{}
}

// podObject is what is used of a pod.
type podObject struct {
	Metadata struct {
		Name, Namespace, UID, DeletionTimestamp string
	}
	Spec struct {
		NodeName   string
		Containers []struct {
			Name, Image  string
			Command      []string
			Env          []struct{ Name, Value string }
			VolumeMounts []struct{ Name, MountPath string }
		}
	}
}

func (p *podObject) path() string {
	return "/api/v1/namespaces/" + p.Metadata.Namespace + "/pods/" + p.Metadata.Name
}

// start registers the node and serves what the API server asks a kubelet for.
func (k *kubelet) start(ctx context.Context) error {
	k.pods, k.images = map[string]*standInPod{}, map[string]int{}
	pair, err := tls.LoadX509KeyPair(k.serving.serving, k.serving.servingKey)
	if err != nil {
		return err
	}
	// HTTP/1.1 only: exec leaves HTTP.
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", settings)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /exec/{namespace}/{pod}/{container}", k.handleExec)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.handleLog)
	k.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = k.server.Serve(listener) }() // until stop
	node := map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": nodeName},
		"status": map[string]any{
			"addresses":       []any{map[string]any{"type": "InternalIP", "address": "127.0.0.1"}},
			"daemonEndpoints": map[string]any{"kubeletEndpoint": map[string]any{"Port": listener.Addr().(*net.TCPAddr).Port}},
			"conditions":      []any{map[string]any{"type": "Ready", "status": "True"}},
			// Then the API server hands on WebSockets as they are.
			"declaredFeatures": []string{"ExtendWebSocketsToKubelet"},
		},
	}
	return k.api.do(ctx, http.MethodPost, "/api/v1/nodes", node, nil)
}

func (k *kubelet) stop() {
	_ = k.server.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.pods {
		p.end()
	}
}

// run looks at the pods until ctx ends.
func (k *kubelet) run(ctx context.Context) error {
	for {
		if err := k.look(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the stand-in of the kubelet: %w", err)
		}
		if rest(ctx, 200*time.Millisecond) != nil {
			return nil
		}
	}
}

func (k *kubelet) look(ctx context.Context) error {
	var list struct{ Items []podObject }
	if err := k.api.do(ctx, http.MethodGet, "/api/v1/pods", nil, &list); err != nil {
		return err
	}
	var failed []error
	for _, p := range list.Items {
		// A pod may be changed or deleted by others meanwhile; the next look sees it as it is.
		if err := k.sync(ctx, &p); err != nil && !isStatus(err, http.StatusConflict) && !isStatus(err, http.StatusNotFound) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func isStatus(err error, code int) bool {
	var refused *statusError
	return errors.As(err, &refused) && refused.code == code
}

// sync brings one pod further.
func (k *kubelet) sync(ctx context.Context, p *podObject) error {
	key := p.Metadata.Namespace + "/" + p.Metadata.Name
	k.mu.Lock()
	running := k.pods[key]
	k.mu.Unlock()
	switch {
	case p.Metadata.DeletionTimestamp != "":
		if running != nil {
			running.end()
			k.mu.Lock()
			delete(k.pods, key)
			k.mu.Unlock()
		}
		return k.api.do(ctx, http.MethodDelete, p.path()+"?gracePeriodSeconds=0", nil, nil)
	case p.Spec.NodeName == "":
		return k.api.do(ctx, http.MethodPost, p.path()+"/binding", map[string]any{
			"apiVersion": "v1", "kind": "Binding", "metadata": map[string]any{"name": p.Metadata.Name},
			"target": map[string]any{"kind": "Node", "name": nodeName},
		}, nil)
	case running == nil:
		started, err := k.launch(p)
		if err != nil {
			return err
		}
		k.mu.Lock()
		k.pods[key] = started
		k.images[p.Spec.Containers[0].Image]++
		k.most = max(k.most, len(k.pods))
		k.mu.Unlock()
		return k.report(ctx, p, "Running", map[string]any{"running": map[string]any{}})
	}
	select {
	case <-running.over:
		code := running.cmd.ProcessState.ExitCode()
		phase := "Succeeded"
		if code != 0 {
			phase, code = "Failed", max(code, 1)
		}
		return k.report(ctx, p, phase, map[string]any{"terminated": map[string]any{"exitCode": code}})
	default:
		return nil
	}
}

// report writes the status of a pod with one container.
func (k *kubelet) report(ctx context.Context, p *podObject, phase string, state map[string]any) error {
	var object map[string]any
	if err := k.api.do(ctx, http.MethodGet, p.path(), nil, &object); err != nil {
		return err
	}
	first := p.Spec.Containers[0]
	object["status"] = map[string]any{
		"phase": phase, "hostIP": "127.0.0.1", "podIP": "127.0.0.1",
		"containerStatuses": []any{map[string]any{
			"name": first.Name, "image": first.Image, "imageID": first.Image, "state": state, "ready": phase == "Running",
			"restartCount": 0,
		}},
	}
	return k.api.do(ctx, http.MethodPut, p.path()+"/status", object, nil)
}

// launch runs the command of a pod's first container.
func (k *kubelet) launch(p *podObject) (*standInPod, error) {
	first := p.Spec.Containers[0]
	folder := filepath.Join(k.dir, "pods", p.Metadata.UID)
	out := &standInPod{over: make(chan struct{}), log: filepath.Join(folder, "log")}
	for _, v := range first.VolumeMounts {
		at := filepath.Join(folder, v.Name)
		if err := os.MkdirAll(at, 0o777); err != nil {
			return nil, err
		}
		out.mounts = append(out.mounts, "--bind", at, v.MountPath)
	}
	for _, v := range first.Env {
		out.mounts = append(out.mounts, "--setenv", v.Name, v.Value)
	}
	log, err := os.Create(out.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	out.cmd = out.confined(context.Background(), first.Command)
	out.cmd.Stdout, out.cmd.Stderr = log, log
	if err := out.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = out.cmd.Wait() // its state is what counts
		close(out.over)
	}()
	return out, nil
}

// confined is a command with this machine's programs and the pod's volumes. Exec runs
// beside the pod's own command, and meets it in the volumes.
func (p *standInPod) confined(ctx context.Context, command []string) *exec.Cmd {
	args := []string{
		"--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--symlink", "usr/bin", "/bin",
		"--symlink", "usr/sbin", "/sbin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-pid", "--die-with-parent", "--clearenv",
		"--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin",
	}
	args = append(append(args, p.mounts...), "--")
	cmd := exec.CommandContext(ctx, "bwrap", append(args, command...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// end kills everything of the pod, and waits.
func (p *standInPod) end() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // or it has ended
	<-p.over
}
