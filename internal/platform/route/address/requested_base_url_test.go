package address_test

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/platform/route/address"
)

func TestPage(t *testing.T) {
	t.Parallel()
	const page = `<a href="/console">x</a><form class="a" action="/device"><img src="//cdn.example/a.png">` +
		`<a href="https://other.example/">y</a><a href="#main">z</a><input value="/console"><p>say href=&#34;/a</p>` +
		`<div data-from="/console/requests" data-path="/tasks/v1"></div><a href="/">home</a>`
	const want = `<a href="/w/one/console">x</a><form class="a" action="/w/one/device"><img src="//cdn.example/a.png">` +
		`<a href="https://other.example/">y</a><a href="#main">z</a><input value="/console"><p>say href=&#34;/a</p>` +
		`<div data-from="/w/one/console/requests" data-path="/w/one/tasks/v1"></div><a href="/w/one/">home</a>`
	ctx := context.Background()
	if got := string(address.Page(ctx, []byte(page))); got != page {
		t.Errorf("without an address the page became\n%s", got)
	}
	ctx = address.With(ctx, &address.Address{Base: "http://localhost/w/one", Path: "/w/one"})
	if got := string(address.Page(ctx, []byte(page))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTo(t *testing.T) {
	t.Parallel()
	ctx := address.With(context.Background(), &address.Address{Path: "/w/one"})
	for location, want := range map[string]string{
		"/console": "/w/one/console", "/": "/w/one/", "https://other.example/": "https://other.example/",
		"//other.example/": "//other.example/", "com.example.app:/done": "com.example.app:/done",
	} {
		if got := address.To(ctx, location); got != want {
			t.Errorf("%s leads to %s, want %s", location, got, want)
		}
		if got := address.To(context.Background(), location); got != location {
			t.Errorf("without an address %s leads to %s", location, got)
		}
	}
}
