package rowmemory_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
)

func TestTake(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 1000})
	r := &route.Request{Request: httptest.NewRequest("GET", "/", nil)}
	m := rowmemory.New(pool, r)
	if err := m.Take(300); err != nil {
		t.Fatal(err)
	}
	var large *rowmemory.TooLargeError
	if err := m.Take(200); !errors.As(err, &large) {
		t.Errorf("1,500 of 1,000 bytes: got %v", err)
	}
	m.Release()
	again := rowmemory.New(pool, r)
	defer again.Release()
	if err := again.Take(330); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestNoRequest(t *testing.T) {
	t.Parallel()
	var m *rowmemory.Memory
	if err := m.Take(1 << 40); err != nil {
		t.Error(err)
	}
	m.Release()
}
