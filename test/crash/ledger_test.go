package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/app/admin"
)

// server is how writers reach one life of the process.
type server struct {
	url   string
	http  *http.Client
	admin *admin.Client
}

// errRefused is a 401: the server is there and does not know the credential.
var errRefused = errors.New("refused")

// do sends one request and returns the body of a 200.
func (s *server) do(ctx context.Context, method, path, bearer, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := s.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusUnauthorized:
		return nil, errRefused
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}
	return text, nil
}

// refresh exchanges a key for a new one: one durable transaction.
func (s *server) refresh(ctx context.Context, key string) (string, error) {
	text, err := s.do(ctx, http.MethodPost, "/v2/api-keys/refresh", key, `{"apiKeyNeverExpires":true}`)
	if err != nil {
		return "", err
	}
	var answer struct{ Data struct{ APIKey string } }
	err = json.Unmarshal(text, &answer)
	return answer.Data.APIKey, err
}

// works reports whether the server knows the token.
func (s *server) works(ctx context.Context, token string) error {
	_, err := s.do(ctx, http.MethodGet, "/v2/limits/label?name=limits/label", token, "")
	return err
}

// issue runs a command that makes a credential and returns it.
func (s *server) issue(ctx context.Context, path, member string, values map[string][]string) (string, error) {
	text, err := s.admin.Run(ctx, path, values, nil)
	if err != nil {
		return "", err
	}
	var made map[string]any
	if err := json.Unmarshal(text, &made); err != nil {
		return "", err
	}
	secret, ok := made[member].(string)
	if !ok || secret == "" {
		return "", fmt.Errorf("%s printed no %s: %s", path, member, text)
	}
	return secret, nil
}

func (s *server) issueToken(ctx context.Context) (string, error) {
	return s.issue(ctx, "token issue", "token", map[string][]string{"user": {"writer"}, "service": {"labels"}})
}

func (s *server) issueKey(ctx context.Context) (string, error) {
	return s.issue(ctx, "key issue", "key", map[string][]string{
		"user": {"writer"}, "service": {"apikeys"}, "never": {"true"},
	})
}

// tokens is the ledger of created rows: each must work for ever.
type tokens struct {
	mu   sync.Mutex
	list []string
}

func (l *tokens) add(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, token)
}

// chain is the ledger of replacements: key after key, each replacing the last.
type chain struct {
	live    string   // the last acknowledged key
	dead    []string // keys whose replacement was acknowledged
	cutOff  bool     // a refresh of live was sent and its answer never came
	acked   int
	unknown int // cut off refreshes that turned out to have happened
}

// write refreshes until the server is gone.
func (c *chain) write(ctx context.Context, s *server) error {
	for {
		next, err := s.refresh(ctx, c.live)
		if err != nil {
			c.cutOff = true
			if errors.Is(err, errRefused) {
				return fmt.Errorf("key %d of the chain was acknowledged and is refused", c.acked)
			}
			return nil
		}
		c.dead, c.live, c.acked = append(c.dead, c.live), next, c.acked+1
	}
}

// errOrNone gives a missing error words.
func errOrNone(err error) error {
	if err == nil {
		return errors.New("it was accepted")
	}
	return err
}

// audit checks the chain on a server that has just come back.
func (c *chain) audit(ctx context.Context, s *server) error {
	if n := len(c.dead); n > 0 {
		// For a minute a replaced key is told the key that replaced it.
		again, err := s.refresh(ctx, c.dead[n-1])
		if err == nil && again == c.live {
			err = errRefused
		}
		if !errors.Is(err, errRefused) {
			return fmt.Errorf("key %d was replaced, and the replacement acknowledged, but it is back: %w", c.acked-1,
				errOrNone(err))
		}
	}
	next, err := s.refresh(ctx, c.live)
	switch {
	case err == nil:
		c.dead, c.live, c.acked = append(c.dead, c.live), next, c.acked+1
	case errors.Is(err, errRefused) && c.cutOff:
		// The cut off refresh happened, and too long ago to be answered again.
		c.unknown++
		if c.live, err = s.issueKey(ctx); err != nil {
			return err
		}
	case errors.Is(err, errRefused):
		return fmt.Errorf("key %d was acknowledged and is lost", c.acked)
	default:
		return err
	}
	c.cutOff = false
	return nil
}
