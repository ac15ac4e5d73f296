package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// kmsRows: A over the unix socket against a bare grpc-go server that does one
// AES-GCM, and its tail while HTTP is saturated.
func kmsRows() []row {
	return []row{
		{name: "A: KMS over the socket, 16 in flight", run: (*bench).kmsCalls, atLeast: 0.9},
		{name: "A: KMS p99.9 while HTTP is saturated", run: (*bench).kmsTail, atMost: 50, unit: "ms"},
	}
}

const kmsInFlight = 16

// kmsOperation is one kind of call.
type kmsOperation struct {
	name string
	call func(ctx context.Context, c api.KeyManagementServiceClient, m *api.EncryptResponse) error
}

func kmsOperations() []kmsOperation {
	seed := make([]byte, 32)
	return []kmsOperation{
		{"Status", func(ctx context.Context, c api.KeyManagementServiceClient, _ *api.EncryptResponse) error {
			_, err := c.Status(ctx, &api.StatusRequest{})
			return err
		}},
		{"Encrypt", func(ctx context.Context, c api.KeyManagementServiceClient, _ *api.EncryptResponse) error {
			_, err := c.Encrypt(ctx, &api.EncryptRequest{Plaintext: seed, Uid: "8d0f4d4a-3a52-4d8e-9f0e-5b3f6b1c2d3e"})
			return err
		}},
		{"Decrypt", func(ctx context.Context, c api.KeyManagementServiceClient, m *api.EncryptResponse) error {
			_, err := c.Decrypt(ctx, &api.DecryptRequest{
				Ciphertext: m.Ciphertext, KeyId: m.KeyId, Annotations: m.Annotations, Uid: "8d0f4d4a-3a52-4d8e-9f0e-5b3f6b1c2d3e",
			})
			return err
		}},
	}
}

// kmsPlugin is a connection to one of the two servers and a message of it.
type kmsPlugin struct {
	client  api.KeyManagementServiceClient
	message *api.EncryptResponse
	close   func()
}

func dialKMS(ctx context.Context, socket string, stop func()) (*kmsPlugin, error) {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		stop()
		return nil, err
	}
	p := &kmsPlugin{client: api.NewKeyManagementServiceClient(conn), close: func() { _ = conn.Close(); stop() }}
	p.message, err = p.client.Encrypt(ctx, &api.EncryptRequest{Plaintext: make([]byte, 32)}, grpc.WaitForReady(true))
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// startKMS serves ours with its socket.
func (b *bench) startKMS(ctx context.Context, name string) (*kmsPlugin, *ours, error) {
	data := b.folder(name)
	socket := filepath.Join(data, "kms.sock")
	o, err := dial(ctx, program.Options{
		Binary: b.binary, Data: data, Args: []string{"--kms-socket", socket},
		Env: append([]string{"STOA_LOG_LEVEL=error"}, raisedLimits()...),
	})
	if err != nil {
		return nil, nil, err
	}
	plugin, err := dialKMS(ctx, socket, o.close)
	return plugin, o, err
}

func (b *bench) kmsCalls(ctx context.Context) ([]result, error) {
	ours, _, err := b.startKMS(ctx, "kms")
	if err != nil {
		return nil, err
	}
	defer ours.close()
	bare, err := b.startBareKMS(ctx)
	if err != nil {
		return nil, err
	}
	defer bare.close()
	var results []result
	for _, operation := range kmsOperations() {
		var bares, all []drive.Sample
		for range b.rounds {
			x, err := b.kmsLoad(ctx, bare, operation)
			if err != nil {
				return nil, fmt.Errorf("bare %s: %w", operation.name, err)
			}
			y, err := b.kmsLoad(ctx, ours, operation)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", operation.name, err)
			}
			bares, all = append(bares, x.Sample), append(all, y.Sample)
		}
		r := ratioResult(comparison{bare: drive.Median(bares), ours: drive.Median(all)})
		r.label = operation.name
		results = append(results, r)
	}
	return results, nil
}

// kmsSample adds the far tail, which only this row looks at.
type kmsSample struct {
	drive.Sample
	p999 time.Duration
}

// kmsLoad is the closed loop: as many calls as allowed on one connection, as
// the API server makes them.
func (b *bench) kmsLoad(ctx context.Context, p *kmsPlugin, operation kmsOperation) (kmsSample, error) {
	sampled, all, err := drive.Loop{
		Clients: kmsInFlight, Warm: b.warm, Length: b.length,
		Call: func(ctx context.Context) error { return operation.call(ctx, p.client, p.message) },
	}.Run(ctx)
	s := kmsSample{Sample: sampled}
	if n := len(all); n > 0 {
		s.p999 = all[min(n-1, n*999/1000)]
	}
	return s, err
}

// kmsTail saturates the HTTP side of the same process meanwhile.
func (b *bench) kmsTail(ctx context.Context) ([]result, error) {
	plugin, o, err := b.startKMS(ctx, "kms-tail")
	if err != nil {
		return nil, err
	}
	defer plugin.close()
	token, err := o.member(ctx, "labels")
	if err != nil {
		return nil, err
	}
	text := drive.Request("GET", "/v2/limits/label?name=limits/label", o.address(), token, "")
	var results []result
	for _, operation := range kmsOperations() {
		noise := make(chan error, 1)
		go func() {
			_, err := b.load(o.address(), kmsInFlight, func(int) drive.Source { return drive.Constant(text) }).Run(ctx)
			noise <- err
		}()
		s, err := b.kmsLoad(ctx, plugin, operation)
		if err := errors.Join(err, <-noise); err != nil {
			return nil, err
		}
		r := rateResult(operation.name, s.Sample)
		r.value, r.judged = float64(s.p999.Microseconds())/1000, true
		results = append(results, r)
	}
	return results, nil
}
