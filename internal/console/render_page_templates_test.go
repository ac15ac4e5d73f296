package console_test

import (
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestHeaders: pages may load nothing but their style sheet, and no site may frame
// them.
func TestHeaders(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, target := range []string{"/console/sign-in", "/console/nowhere"} {
		w := h.send("GET", target, nil)
		policy := w.Header().Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
		} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy %q lacks %q", target, policy, want)
			}
		}
		if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers = %v", target, w.Header())
		}
		// No scripts, inline styles or addresses outside.
		wantNot(t, w.Body.String(), "<script", "style=", "http://", "https://")
	}
	w := h.send("GET", "/console/style.css", nil)
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/css") ||
		strings.Contains(w.Body.String(), "url(") {
		t.Errorf("style: %d %v", w.Code, w.Header())
	}
}

// TestIcon: pages name it, and browsers that look for /favicon.ico find it too.
func TestIcon(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.send("GET", "/console/sign-in", nil)
	if !strings.Contains(page.Body.String(), `rel="icon" type="image/svg+xml" href="/console/icon.svg"`) ||
		!strings.Contains(page.Header().Get("Content-Security-Policy"), "img-src 'self'") {
		t.Errorf("the page or its policy %q has no icon", page.Header().Get("Content-Security-Policy"))
	}
	for _, target := range []string{"/console/icon.svg", "/favicon.ico"} {
		w := h.send("GET", target, nil)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/svg+xml" ||
			!strings.HasPrefix(w.Body.String(), "<svg") {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// TestContrast computes WCAG 2.2's contrast of every pair of text and background
// that the style sheet uses, in both schemes.
func TestContrast(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("design/assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("there is no dark scheme")
	}
	for name, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(text, -1) {
			if _, seen := colours[m[1]]; !seen {
				colours[m[1]] = m[2]
			}
		}
		for _, pair := range []struct {
			text, background string
			least            float64
		}{
			{"text", "background", 4.5},
			{"text", "card", 4.5},
			{"soft", "background", 4.5},
			{"soft", "card", 4.5},
			{"soft", "code", 4.5},
			{"text", "code", 4.5},
			{"accent", "card", 4.5},
			{"accent", "background", 4.5},
			{"accent-text", "accent", 4.5},
			{"accent", "accent-soft", 4.5},
			{"bad", "bad-soft", 4.5},
			{"bad", "card", 4.5},
			{"field", "card", 3},
		} {
			if got := contrast(t, colours[pair.text], colours[pair.background]); got < pair.least {
				t.Errorf("%s: %s on %s: %.2f, want at least %.1f", name, pair.text, pair.background, got, pair.least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("colour %q", colour)
	}
	var sum float64
	for n, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(colour[1+2*n:3+2*n], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
