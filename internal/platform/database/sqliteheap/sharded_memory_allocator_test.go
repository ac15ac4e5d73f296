package sqliteheap_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/database/sqliteconn"
	"stoa.dev/stoa/internal/platform/database/sqliteheap"
)

// TestMemoryGoesBackToItsHeap frees with one connection's thread what another one took.
func TestMemoryGoesBackToItsHeap(t *testing.T) {
	t.Parallel()
	const threads, pieces = 40, 200 // more threads than heaps
	taken := make(chan sqliteheap.Piece, threads*pieces)
	var takers, givers sync.WaitGroup
	for n := range threads {
		takers.Go(func() {
			thread := sqliteheap.NewThread()
			defer thread.Close()
			for i := range pieces {
				p := thread.Allocate(1 + i*7)
				p.Fill(byte(n))
				if i%3 == 0 {
					p = thread.Resize(p, 1+i*11)
				}
				taken <- p
			}
		})
	}
	for range 4 {
		givers.Go(func() {
			thread := sqliteheap.NewThread()
			defer thread.Close()
			for p := range taken {
				if size := thread.Size(p); size != p.Size() {
					t.Errorf("size is %d, want %d", size, p.Size())
				}
				if got := p.Kept(); len(bytes.TrimLeft(got, string(got[:1]))) != 0 {
					t.Errorf("the memory of another connection was overwritten: %x", got)
				}
				thread.Free(p)
			}
		})
	}
	takers.Wait()
	close(taken)
	givers.Wait()
}

// TestConnectionsAtOnce opens many files at once, each with a schema, and reads what was written.
func TestConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	if !sqliteheap.Install() {
		t.Fatal("the engine has another allocator")
	}
	dir := t.TempDir()
	var running sync.WaitGroup
	for n := range 48 {
		running.Go(func() {
			if err := writeAndRead(filepath.Join(dir, fmt.Sprint(n)), n); err != nil {
				t.Errorf("file %d: %v", n, err)
			}
		})
	}
	running.Wait()
}

func writeAndRead(path string, n int) error {
	ctx := context.Background()
	c, err := sqliteconn.Open(path)
	if err != nil {
		return err
	}
	for table := range 20 {
		if err := c.Script(ctx, fmt.Sprintf("CREATE TABLE t%d (a INTEGER PRIMARY KEY, b TEXT); "+
			"INSERT INTO t%d VALUES (%d, 'x')", table, table, n)); err != nil {
			return err
		}
	}
	if err := c.Close(); err != nil {
		return err
	}
	if c, err = sqliteconn.Open(path); err != nil {
		return err
	}
	defer c.Close()
	rows, err := c.Query(ctx, "SELECT a FROM t19", nil)
	if err != nil {
		return err
	}
	var got int
	for rows.Next() {
		if err := rows.Scan(&got); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if got != n {
		return fmt.Errorf("read %d, want %d", got, n)
	}
	return nil
}
