package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// apiClient speaks JSON with the API server.
type apiClient struct {
	url, token string
	client     http.Client
}

func newAPIClient(url, token string, authority []byte) (*apiClient, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("the API server's certificate is none")
	}
	return &apiClient{url: url, token: token, client: http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true},
	}}, nil
}

// statusError is an answer that is not a success.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return fmt.Sprintf("%d %.2000s", e.code, e.text) }

func (a *apiClient) send(ctx context.Context, method, path string, body any) ([]byte, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, a.url+path, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		return answer, &statusError{code: response.StatusCode, text: string(answer)}
	}
	return answer, err
}

// do sends an object and reads the answer into another; either may be nil.
func (a *apiClient) do(ctx context.Context, method, path string, body, answer any) error {
	content, err := a.send(ctx, method, path, body)
	if err == nil && answer != nil {
		err = json.Unmarshal(content, answer)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// text reads an address that answers in plain text, also when it refuses.
func (a *apiClient) text(ctx context.Context, path string) (string, error) {
	content, err := a.send(ctx, http.MethodGet, path, nil)
	return string(content), err
}
