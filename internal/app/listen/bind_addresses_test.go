package listen

import "testing"

// TestLastPort: a server that asks for any port takes that of its last start again,
// and another when a program has it.
func TestLastPort(t *testing.T) {
	t.Parallel()
	c := Config{HTTP: "127.0.0.1:0", HTTPS: "127.0.0.1:0"}
	first, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.LastHTTP, c.LastHTTPS = first.plain.Addr().String(), first.secure.Addr().String()
	other, err := c.open(t.Context())
	if err != nil {
		t.Fatalf("while both ports are taken: %v", err)
	}
	defer other.close()
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	again, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	plain, secure := again.plain.Addr().String(), again.secure.Addr().String()
	if plain != c.LastHTTP || secure != c.LastHTTPS {
		t.Errorf("listens on %s and %s; the last time it was %s and %s", plain, secure, c.LastHTTP, c.LastHTTPS)
	}
}
