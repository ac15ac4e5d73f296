package device_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cli/oauth/api"
	"github.com/cli/oauth/device"
	"golang.org/x/oauth2"

	"stoa.dev/stoa/test/sdk/world"
)

func TestFlows(t *testing.T) {
	s := start(t)
	for _, style := range []struct {
		name string
		auth oauth2.AuthStyle
	}{{"in the form", oauth2.AuthStyleInParams}, {"in the header", oauth2.AuthStyleInHeader}, {
		"both at once", oauth2.AuthStyleAutoDetect,
	}} {
		t.Run("x/oauth2 device flow, credentials "+style.name, func(t *testing.T) { oauth2Device(t, s, style.auth) })
	}
	t.Run("x/oauth2 device flow, denied", func(t *testing.T) { oauth2Denied(t, s) })
	t.Run("x/oauth2 device flow of analytics, no client", func(t *testing.T) { oauth2Dag(t, s) })
	t.Run("x/oauth2 code flow of analytics, proof key and refresh", func(t *testing.T) { oauth2Code(t, s) })
	t.Run("cli/oauth device flow", func(t *testing.T) { cliDevice(t, s) })
	t.Run("openid-client", func(t *testing.T) { npmFlows(t, s, "device.mjs") })
	t.Run("sign-in at oidc-provider", func(t *testing.T) { npmFlows(t, s, "provider.mjs") })
	t.Run("openid-client and oauth4webapi, code flow and id tokens", func(t *testing.T) { npmFlows(t, s, "code.mjs") })
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func (s *server) deviceConfig(style oauth2.AuthStyle) *oauth2.Config {
	return &oauth2.Config{
		ClientID: s.env["STOA_DEVICE_CLIENT_ID"], ClientSecret: s.env["STOA_DEVICE_CLIENT_SECRET"],
		Endpoint: oauth2.Endpoint{DeviceAuthURL: s.url("/device/code"), TokenURL: s.url("/token"), AuthStyle: style},
		Scopes:   []string{"video.readonly"},
	}
}

// oauth2Device approves while the client is polling.
func oauth2Device(t *testing.T, s *server, style oauth2.AuthStyle) {
	ctx, config := deadline(t), s.deviceConfig(style)
	code, err := config.DeviceAuth(ctx)
	if err != nil {
		t.Fatal(err)
	}
	approved := make(chan struct{})
	go func() {
		defer close(approved)
		time.Sleep(1500 * time.Millisecond)
		s.decide(t, "approve", code.UserCode)
	}()
	token, err := config.DeviceAccessToken(ctx, code)
	<-approved
	if err != nil {
		t.Fatal(err)
	}
	if !token.Valid() || token.RefreshToken == "" || token.TokenType != "Bearer" {
		t.Errorf("token = %+v", token)
	}
	// The library refreshes by itself once the token is over.
	token.Expiry = time.Now().Add(-time.Minute)
	fresh, err := config.TokenSource(ctx, token).Token()
	if err != nil {
		t.Fatal(err)
	}
	if fresh.AccessToken == token.AccessToken || fresh.RefreshToken != token.RefreshToken {
		t.Error("the refresh returned the old access token or another refresh token")
	}
}

func oauth2Denied(t *testing.T, s *server) {
	ctx, config := deadline(t), s.deviceConfig(oauth2.AuthStyleInParams)
	code, err := config.DeviceAuth(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.decide(t, "deny", code.UserCode)
	_, err = config.DeviceAccessToken(ctx, code)
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.ErrorCode != "access_denied" {
		t.Errorf("err = %v, want access_denied", err)
	}
}

func oauth2Dag(t *testing.T, s *server) {
	ctx := deadline(t)
	config := &oauth2.Config{
		Endpoint: oauth2.Endpoint{DeviceAuthURL: s.url("/dag/device/code"), TokenURL: s.url("/dag/device/token")},
	}
	code, err := config.DeviceAuth(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.decide(t, "approve", code.UserCode)
	token, err := config.DeviceAccessToken(ctx, code)
	if err != nil || !token.Valid() {
		t.Fatalf("token = %+v, %v", token, err)
	}
}

func oauth2Code(t *testing.T, s *server) {
	ctx := deadline(t)
	config := &oauth2.Config{
		ClientID: s.env["STOA_WEB_CLIENT_ID"], ClientSecret: s.env["STOA_WEB_CLIENT_SECRET"],
		RedirectURL: "http://127.0.0.1:9999/callback", Scopes: []string{"user.id"},
		Endpoint: oauth2.Endpoint{AuthURL: s.url("/oauth2/authorize"), TokenURL: s.url("/oauth2/access_token")},
	}
	verifier := oauth2.GenerateVerifier()
	got := s.consent(t, config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)))
	if got.Get("state") != "state" {
		t.Errorf("state = %q", got.Get("state"))
	}
	token, err := config.Exchange(ctx, got.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	token.Expiry = time.Now().Add(-time.Minute)
	fresh, err := config.TokenSource(ctx, token).Token()
	if err != nil || fresh.AccessToken == token.AccessToken {
		t.Fatalf("refresh = %+v, %v", fresh, err)
	}
}

func cliDevice(t *testing.T, s *server) {
	ctx := deadline(t)
	client := http.DefaultClient
	code, err := device.RequestCode(client, s.url("/device/code"), s.env["STOA_DEVICE_CLIENT_ID"], []string{
		"video.readonly",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.decide(t, "approve", code.UserCode)
	var token *api.AccessToken
	token, err = device.Wait(ctx, client, s.url("/token"), device.WaitOptions{
		ClientID: s.env["STOA_DEVICE_CLIENT_ID"], ClientSecret: s.env["STOA_DEVICE_CLIENT_SECRET"], DeviceCode: code,
	})
	if err != nil || token.Token == "" || token.RefreshToken == "" {
		t.Fatalf("token = %+v, %v", token, err)
	}
}

// npmFlows runs a script of the npm clients.
func npmFlows(t *testing.T, s *server, script string) {
	if out := s.Node(t, "npm", script); !strings.Contains(out, "every flow is complete") {
		t.Fatalf("node: %s", out)
	}
}

// TestPython signs users in with unmodified Python clients.
func TestPython(t *testing.T) { world.PythonClients(t, world.Options{}) }
