package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// addresses is from how many of them the limiters hear.
const addresses = 1_000_000

// eventsAddresses calls without a token from a million loopback addresses, each
// of which has budgets of its own, and looks at the server's memory then. Most
// of the later ones are refused: there is no space for their counters.
func (b *bench) eventsAddresses(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("events-addresses"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	var (
		group  sync.WaitGroup
		next   atomic.Int64
		failed = make([]error, 32)
	)
	for i := range failed {
		group.Go(func() {
			for n := next.Add(1); n <= addresses && failed[i] == nil && ctx.Err() == nil; n = next.Add(1) {
				// 127.1.0.1 and on; the first is the listener's.
				from := net.IPv4(127, byte(1+n>>16), byte(n>>8), byte(n))
				failed[i] = callFrom(ctx, from, o.address())
			}
		})
	}
	group.Wait()
	if err := errors.Join(append(failed, ctx.Err())...); err != nil {
		return nil, err
	}
	megabytes, err := drive.Resident(o.PID())
	if err != nil {
		return nil, err
	}
	return []result{{value: megabytes, judged: true}}, nil
}

// callFrom asks for a feed from an address of this machine. Any answer will do.
func callFrom(ctx context.Context, from net.IP, to string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	conn, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(conn, "GET /events?per_page=1 HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		to); err != nil {
		return err
	}
	_, err = bufio.NewReader(conn).ReadString('\n')
	return err
}
