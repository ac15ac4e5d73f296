package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"golang.org/x/net/websocket"
)

func (k *kubelet) pod(r *http.Request) *standInPod {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pods[r.PathValue("namespace")+"/"+r.PathValue("pod")]
}

// handleLog is what the first container printed.
func (k *kubelet) handleLog(w http.ResponseWriter, r *http.Request) {
	p := k.pod(r)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	content, err := os.ReadFile(p.log)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(content) // the reader may have left
}

// handleExec runs a program beside a pod's own.
func (k *kubelet) handleExec(w http.ResponseWriter, r *http.Request) {
	p := k.pod(r)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	websocket.Server{
		Handshake: func(c *websocket.Config, _ *http.Request) error {
			c.Protocol = []string{"v5.channel.k8s.io"}
			return nil
		},
		Handler: func(ws *websocket.Conn) {
			ws.PayloadType = websocket.BinaryFrame
			p.exec(r.Context(), ws, r.URL.Query()["command"])
		},
	}.ServeHTTP(w, r)
}

// exec connects a program with the channels of a connection.
func (p *standInPod) exec(ctx context.Context, ws *websocket.Conn, command []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := p.confined(ctx, command)
	cmd.Stdout, cmd.Stderr = channel{ws, 1}, channel{ws, 2}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_, _ = fmt.Fprintf(channel{ws, 3}, `{"status":"Failure","message":%q}`, err.Error()) // the caller may have left
		return
	}
	go func() {
		defer cancel() // the caller has left
		receive(ws, in)
	}()
	status := `{"metadata":{},"status":"Success"}`
	if err := cmd.Wait(); err != nil {
		status = fmt.Sprintf(`{"metadata":{},"status":"Failure","message":%q,"reason":"NonZeroExitCode","details":{"causes":`+
			`[{"reason":"ExitCode","message":"%d"}]}}`, err.Error(), cmd.ProcessState.ExitCode())
	}
	_, _ = io.WriteString(channel{ws, 3}, status) // the caller may have left
}

// receive copies what the caller sends, until it leaves.
func receive(ws *websocket.Conn, in io.WriteCloser) {
	for {
		var message []byte
		if websocket.Message.Receive(ws, &message) != nil {
			return
		}
		switch {
		case len(message) > 1 && message[0] == 0:
			_, _ = in.Write(message[1:]) // a program that has ended reads nothing
		case len(message) == 2 && message[0] == 255:
			_ = in.Close() // once
		}
	}
}

type channel struct {
	ws     *websocket.Conn
	number byte
}

// Write implements io.Writer: one message.
func (c channel) Write(p []byte) (int, error) {
	return len(p), websocket.Message.Send(c.ws, append([]byte{c.number}, p...))
}
