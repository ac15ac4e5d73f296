package calendar

import (
	"embed"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

// encodeDoc encodes what is kept as a document. The shapes have nothing that
// JSON cannot express; if one ever did, the column refuses the missing document.
func encodeDoc(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// writeKey is the lock that orders the changes of a calendar.
func writeKey(calendar string) string { return Name + " " + calendar }
