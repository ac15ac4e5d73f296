package pgpool

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// CheckURL refuses an address that cannot be one of PostgreSQL.
func CheckURL(url string) error {
	if _, err := pgx.ParseConfig(url); err != nil {
		// pgx masks the password in its message.
		return fmt.Errorf("database.url: %w", err)
	}
	return nil
}

// Unreachable reports that PostgreSQL did not answer, instead of refusing something.
func Unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "bad connection")
}

// LockKey maps a key to PostgreSQL's lock numbers. Two keys that collide only
// wait for each other.
func LockKey(key string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	return int64(h.Sum64())
}
