package deliver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
)

func tlsConfig(certs ...tls.Certificate) *tls.Config { return &tls.Config{Certificates: certs} }

func post(t testing.TB, c *deliver.Client, url string) (deliver.Response, error) {
	t.Helper()
	return c.Do(t.Context(), deliver.Request{Method: "POST", URL: url})
}

func TestDoSendsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	receiver := delivertest.NewReceiver(t)
	receiver.Reply(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("thanks"))
	})
	client := newClient(t, receiver.Config, nil)
	response, err := client.Do(t.Context(), deliver.Request{
		Method: "PUT", URL: receiver.URL + "/a%2Fb?c=d%20e", Header: map[string]string{"X-Vendor-Channel-ID": "7"},
		Body: []byte("body"),
	})
	if err != nil || response.Status != 202 || string(response.Body) != "thanks" ||
		response.Header.Get("X-Answer") != "yes" {
		t.Fatalf("Do = %+v, %v", response, err)
	}
	if _, err := post(t, client, receiver.URL+"/empty"); err != nil {
		t.Fatal(err)
	}
	got := receiver.Requests()
	if got[0].Method != "PUT" || got[0].URL != "/a%2Fb?c=d%20e" || got[0].Body != "body" ||
		got[0].Header.Get("X-Vendor-Channel-Id") != "7" {
		t.Errorf("received %+v", got[0])
	}
	if got[1].Body != "" || got[1].Header.Get("User-Agent") != "Stoa" {
		t.Errorf("received %+v", got[1])
	}
}

func TestEveryStatusIsAnAnswer(t *testing.T) {
	t.Parallel()
	receiver := delivertest.NewReceiver(t)
	client := newClient(t, receiver.Config, nil)
	for status := 200; status < 600; status++ {
		receiver.Reply(delivertest.Answer(status))
		response, err := post(t, client, receiver.URL)
		if err != nil || response.Status != status {
			t.Errorf("status %d: Do = %d, %v", status, response.Status, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	receiver, elsewhere := delivertest.NewReceiver(t), delivertest.NewReceiver(t)
	client := newClient(t, receiver.Config, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		receiver.Reply(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, status) })
		if response, err := post(t, client, receiver.URL); err != nil || response.Status != status {
			t.Errorf("Do = %d, %v, want %d", response.Status, err, status)
		}
	}
	if got := elsewhere.Connections(); got != 0 {
		t.Errorf("the redirect was followed %d times", got)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	receiver := delivertest.NewReceiver(t)
	receiver.Reply(func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(strings.Repeat("x", 8192))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	client := newClient(t, receiver.Config, nil)
	response, err := post(t, client, receiver.URL)
	if err != nil || response.Status != 200 || len(response.Body) != 64<<10 {
		t.Errorf("Do = %d with %d bytes, %v, want 200 with 65536", response.Status, len(response.Body), err)
	}
}

func TestDrippingBodyEnds(t *testing.T) {
	t.Parallel()
	receiver := delivertest.NewReceiver(t)
	receiver.Reply(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	client := newClient(t, receiver.Config, nil)
	client.SetTotal(300 * time.Millisecond)
	if response, err := post(t, client, receiver.URL); err != nil || response.Status != 200 ||
		string(response.Body) != "x" {
		t.Errorf("Do = %+v, %v, want 200", response, err)
	}
}

// Giving up closes the connection. A receiver that waits for that and then answers, as frameworks do by themselves when
// a handler returns, did not take the message, whether its answer still gets through or not.
func TestAnswerToGivingUp(t *testing.T) {
	t.Parallel()
	client := newClient(t, deliver.Config{}, nil)
	client.SetTotal(time.Millisecond)
	client.SetTransport(transportFunc(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}))
	if response, err := post(t, client, "https://example.com/"); !errors.Is(err, deliver.ErrConnection) {
		t.Errorf("Do = %+v, %v, want ErrConnection", response, err)
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestProcessing(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name string
		then http.HandlerFunc
		want int
	}{
		{"and nothing", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 102},
		{"and the connection ends", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 102},
		{"and a final answer", delivertest.Answer(http.StatusServiceUnavailable), 503},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			receiver := delivertest.NewReceiver(t)
			receiver.Reply(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusProcessing)
				row.then(w, r)
			})
			client := newClient(t, receiver.Config, nil)
			client.SetTotal(500 * time.Millisecond)
			if response, err := post(t, client, receiver.URL); err != nil || response.Status != row.want {
				t.Errorf("Do = %d, %v, want %d", response.Status, err, row.want)
			}
		})
	}
}

func TestConnectionFailures(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		reply http.HandlerFunc
	}{
		{"hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"breaks off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"no HTTP", hijack(func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-x\r\n") })},
		{"endless headers", hijack(func(c net.Conn) {
			w := bufio.NewWriter(c)
			for i := 0; i < 1<<20; i++ {
				if _, err := fmt.Fprintf(w, "X-%d: %s\r\n", i, strings.Repeat("y", 1000)); err != nil {
					return
				}
			}
		}, "HTTP/1.1 200 OK\r\n")},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			authority := delivertest.NewAuthority(t)
			config := tlsConfig(authority.Issue(t))
			config.NextProtos = []string{"http/1.1"}
			receiver := delivertest.Start(t, authority, "127.0.0.1:0", config)
			receiver.Reply(row.reply)
			client := newClient(t, receiver.Config, nil)
			client.SetTotal(time.Second)
			if response, err := post(t, client, receiver.URL+"/?secret=hunter2"); !errors.Is(err, deliver.ErrConnection) {
				t.Errorf("Do = %+v, %v, want ErrConnection", response, err)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the query: %v", err)
			}
		})
	}
	t.Run("no listener", func(t *testing.T) {
		t.Parallel()
		receiver := delivertest.NewReceiver(t)
		client := newClient(t, receiver.Config, nil)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := "https://" + l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := post(t, client, address); !errors.Is(err, deliver.ErrConnection) {
			t.Errorf("Do = %v, want ErrConnection", err)
		}
		if err := client.CheckAddress(t.Context(), address); !errors.Is(err, deliver.ErrConnection) {
			t.Errorf("CheckAddress = %v, want ErrConnection", err)
		}
	})
	t.Run("no such name", func(t *testing.T) {
		t.Parallel()
		client := newClient(t, deliver.Config{}, always().resolver())
		if _, err := post(t, client, "https://nowhere.example/"); !errors.Is(err, deliver.ErrConnection) {
			t.Errorf("Do = %v, want ErrConnection", err)
		}
	})
	t.Run("accepts and says nothing", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		receiver := delivertest.NewReceiver(t)
		client := newClient(t, receiver.Config, nil)
		client.SetTotal(300 * time.Millisecond)
		if err := client.CheckAddress(t.Context(), "https://"+l.Addr().String()); !errors.Is(err, deliver.ErrConnection) {
			t.Errorf("CheckAddress = %v, want ErrConnection", err)
		}
	})
	t.Run("the caller gives up", func(t *testing.T) {
		t.Parallel()
		receiver := delivertest.NewReceiver(t)
		client := newClient(t, receiver.Config, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := client.Do(ctx, deliver.Request{Method: "POST", URL: receiver.URL}); !errors.Is(err, context.Canceled) {
			t.Errorf("Do = %v, want Canceled", err)
		}
	})
}

// hijack answers with bytes of its own.
func hijack(then func(net.Conn), first ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for _, text := range first {
			fmt.Fprint(conn, text)
		}
		then(conn)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now()
	rows := []struct {
		name   string
		config func(t *testing.T, a *delivertest.Authority) *tls.Config
		want   error
	}{
		{"valid", func(t *testing.T, a *delivertest.Authority) *tls.Config { return tlsConfig(a.Issue(t)) }, nil},
		{"valid through an intermediate", func(t *testing.T, a *delivertest.Authority) *tls.Config {
			return tlsConfig(a.Intermediate(t).Issue(t))
		}, nil},
		{"of an unknown authority", func(t *testing.T, _ *delivertest.Authority) *tls.Config {
			return tlsConfig(delivertest.NewAuthority(t).Issue(t))
		}, deliver.ErrCertificate},
		{"self-signed", func(t *testing.T, _ *delivertest.Authority) *tls.Config {
			own := delivertest.NewAuthority(t)
			return tlsConfig(tls.Certificate{Certificate: [][]byte{own.Cert.Raw}, PrivateKey: own.Key})
		}, deliver.ErrCertificate},
		{"expired", changed(
			func(c *x509.Certificate) { c.NotBefore, c.NotAfter = now.Add(-48*time.Hour), now.Add(-time.Hour) }),
			deliver.ErrCertificate},
		{"not yet valid", changed(func(c *x509.Certificate) { c.NotBefore = now.Add(time.Hour) }), deliver.ErrCertificate},
		{"for another host", changed(func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 9)} }),
			deliver.ErrCertificate},
		{"for clients only", changed(func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}), deliver.ErrCertificate},
		{"intermediate left out", func(t *testing.T, a *delivertest.Authority) *tls.Config {
			cert := a.Intermediate(t).Issue(t)
			cert.Certificate = cert.Certificate[:1]
			return tlsConfig(cert)
		}, deliver.ErrCertificate},
		{"old protocol", func(t *testing.T, a *delivertest.Authority) *tls.Config {
			c := tlsConfig(a.Issue(t))
			c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			return c
		}, deliver.ErrConnection},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			authority := delivertest.NewAuthority(t)
			receiver := delivertest.Start(t, authority, "127.0.0.1:0", row.config(t, authority))
			client := newClient(t, receiver.Config, nil)
			if _, err := post(t, client, receiver.URL); !errors.Is(err, row.want) {
				t.Errorf("Do = %v, want %v", err, row.want)
			}
			if err := client.CheckAddress(t.Context(), receiver.URL); !errors.Is(err, row.want) {
				t.Errorf("CheckAddress = %v, want %v", err, row.want)
			}
			if got := len(receiver.Requests()); row.want != nil && got != 0 {
				t.Errorf("the receiver got %d requests, want none", got)
			} else if row.want == nil && got != 1 {
				t.Errorf("the receiver got %d requests, want only that of Do", got)
			}
		})
	}
}

func changed(change func(*x509.Certificate)) func(*testing.T, *delivertest.Authority) *tls.Config {
	return func(t *testing.T, a *delivertest.Authority) *tls.Config { return tlsConfig(a.Issue(t, change)) }
}
