package pgpool

import (
	"fmt"

	"github.com/jackc/pgx/v5"
)

// CheckURL refuses an address that cannot be one of PostgreSQL.
func CheckURL(url string) error {
	if _, err := pgx.ParseConfig(url); err != nil {
		// pgx masks the password in its message.
		return fmt.Errorf("database.url: %w", err)
	}
	return nil
}
