package memo_test

import (
	"fmt"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/memo"
)

func answer(n int) memo.Answer { return memo.Answer{Tag: `"t"`, Body: make([]byte, n)} }

func TestKeepsWhatFits(t *testing.T) {
	t.Parallel()
	m := memo.New(100_000)
	if _, ok := m.Get("a"); ok {
		t.Error("an empty memo found an answer")
	}
	m.Put("a", memo.Answer{Tag: `"1"`, Body: []byte("one")})
	got, ok := m.Get("a")
	if !ok || got.Tag != `"1"` || string(got.Body) != "one" {
		t.Errorf("Get(a) = %q %q, %v; want the answer put before", got.Tag, got.Body, ok)
	}
}

func TestIsBounded(t *testing.T) {
	t.Parallel()
	const bytes = 100_000
	m := memo.New(bytes)
	for i := range 10_000 {
		m.Put(fmt.Sprint(i), answer(1000))
	}
	kept := 0
	for i := range 10_000 {
		// Looking at the oldest first moves nothing that is still to be counted out.
		if _, ok := m.Get(fmt.Sprint(i)); ok {
			kept++
		}
	}
	if kept == 0 || kept*1000 > bytes {
		t.Errorf("%d answers of 1000 bytes are kept, want some and at most %d bytes", kept, bytes)
	}
}

func TestKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	m := memo.New(100_000)
	m.Put("used", answer(1000))
	for i := range 1000 {
		m.Put(fmt.Sprint(i), answer(1000))
		if _, ok := m.Get("used"); !ok {
			t.Fatalf("the answer that is used was dropped after %d others", i+1)
		}
	}
	if _, ok := m.Get("0"); ok {
		t.Error("the answer that is not used is still kept")
	}
}

func TestRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	m := memo.New(100_000)
	m.Put("small", answer(10))
	m.Put("large", answer(50_000))
	if _, ok := m.Get("large"); ok {
		t.Error("an answer of half the memory was kept")
	}
	if _, ok := m.Get("small"); !ok {
		t.Error("a large answer pushed out a small one")
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := memo.New(50_000)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint((i + g) % 100)
				if a, ok := m.Get(key); ok && string(a.Body) != key {
					t.Errorf("Get(%s) = %q", key, a.Body)
				}
				m.Put(key, memo.Answer{Body: []byte(key)})
			}
		})
	}
	group.Wait()
}
