package channel

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const channelColumns = `id, resource, resource_uri, user_id, client_id, key_id, sealed, number, created, expires`

// row is a stored notification channel.
type row struct {
	id       string
	resource string
	uri      string
	userID   int64
	clientID string
	keyID    int64 // zero for a client's
	sealed   []byte
	number   int64
	created  time.Time
	expires  time.Time // zero for never
}

func scanChannel(s database.Scanner) (c row, err error) {
	err = s.Scan(&c.id, &c.resource, &c.uri, &c.userID, &c.clientID, &c.keyID, &c.sealed, &c.number,
		database.ScanTime(&c.created), database.ScanNullTime(&c.expires))
	return c, err
}

// insertChannel refuses an id that was used before, also by a channel that
// has ended. countRows has counted it.
func insertChannel(ctx context.Context, tx *database.Tx, c row) error {
	result, err := tx.Exec(ctx, `
		INSERT INTO calendar_channels (`+channelColumns+`, ended)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL) ON CONFLICT (id) DO NOTHING`,
		c.id, c.resource, c.uri, c.userID, c.clientID, c.keyID, c.sealed, c.number,
		database.Time(c.created), database.NullTime(c.expires))
	if err == nil && result.RowsAffected == 0 {
		return refusal.New(refusal.CodeChannelID, "id", "Channel id %s not unique", c.id)
	}
	return err
}

// countChannels is how many live channels a resource has. That is at most what
// the configuration allows, and one walk along an index.
func countChannels(ctx context.Context, q database.Querier, resource string, now time.Time) (int64, error) {
	return database.One(ctx, q, scanNumber, `
		SELECT COUNT(*) FROM calendar_channels
		WHERE resource = $1 AND ended IS NULL AND (expires IS NULL OR expires > $2)`,
		resource, database.Time(now))
}

// endExpired marks a user's channels as ended that have expired, and says how
// many.
func endExpired(ctx context.Context, tx *database.Tx, user int64, now time.Time) (int64, error) {
	result, err := tx.Exec(ctx, `
		UPDATE calendar_channels SET ended = expires WHERE user_id = $1 AND ended IS NULL AND expires <= $2`,
		user, database.Time(now))
	if err != nil || result.RowsAffected == 0 {
		return 0, err
	}
	_, err = countRows(ctx, tx, user, counts{unended: -result.RowsAffected})
	return result.RowsAffected, err
}

// nextMessages gives every live channel of a resource its next number. The
// rows are held until the commit: messages are enqueued in the order of their
// numbers, and in one order of users for all transactions, so that none waits
// for another in a circle.
func nextMessages(ctx context.Context, tx *database.Tx, resource string, now time.Time) ([]row, error) {
	channels, err := database.All(ctx, tx, scanChannel, `
		UPDATE calendar_channels SET number = number + 1
		WHERE resource = $1 AND ended IS NULL AND (expires IS NULL OR expires > $2) RETURNING `+channelColumns,
		resource, database.Time(now))
	slices.SortFunc(channels, func(a, b row) int { return cmp.Compare(a.userID, b.userID) })
	return channels, err
}

// liveChannels are the channels of a resource that have not ended.
func liveChannels(ctx context.Context, q database.Querier, resource string, now time.Time) ([]row, error) {
	return database.All(ctx, q, scanChannel, `
		SELECT `+channelColumns+` FROM calendar_channels
		WHERE resource = $1 AND ended IS NULL AND (expires IS NULL OR expires > $2)
		ORDER BY id`, resource, database.Time(now))
}

func liveChannel(ctx context.Context, q database.Querier, id string, now time.Time) (c row, found bool, err error) {
	c, err = database.One(ctx, q, scanChannel, `
		SELECT `+channelColumns+` FROM calendar_channels
		WHERE id = $1 AND ended IS NULL AND (expires IS NULL OR expires > $2)`, id, database.Time(now))
	if errors.Is(err, database.ErrNotFound) {
		return c, false, nil
	}
	return c, err == nil, err
}

func endChannel(ctx context.Context, tx *database.Tx, id string, now time.Time) error {
	users, err := database.All(ctx, tx, scanNumber, `
		UPDATE calendar_channels SET ended = $2 WHERE id = $1 AND ended IS NULL
		RETURNING user_id`, id, database.Time(now))
	if err != nil || len(users) == 0 {
		return err
	}
	_, err = countRows(ctx, tx, users[0], counts{unended: -1})
	return err
}

// Purge deletes channels that ended before a time.
func Purge(ctx context.Context, tx *database.Tx, before time.Time) error {
	gone := map[int64]counts{}
	_, err := database.All(ctx, tx, func(s database.Scanner) (_ struct{}, err error) {
		var user, unended int64
		err = s.Scan(&user, &unended)
		n := gone[user]
		n.channels--
		n.unended -= unended
		gone[user] = n
		return struct{}{}, err
	}, `DELETE FROM calendar_channels WHERE ended < $1 OR expires < $1
		RETURNING user_id, CASE WHEN ended IS NULL THEN 1 ELSE 0 END`, database.Time(before))
	if err != nil {
		return err
	}
	// One order for all transactions, so that none waits for another in a circle.
	for _, user := range slices.Sorted(maps.Keys(gone)) {
		if _, err := countRows(ctx, tx, user, gone[user]); err != nil {
			return err
		}
	}
	return nil
}

// counts is how many channels a user has, and how many of them have not ended.
type counts struct{ channels, unended int64 }

// countRows adds to the numbers of a user and gives the new ones.
func countRows(ctx context.Context, tx *database.Tx, user int64, add counts) (now counts, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE calendar_people SET channel_count = channel_count + $2, unended_count = unended_count + $3
		WHERE user_id = $1 RETURNING channel_count, unended_count`,
		user, add.channels, add.unended).Scan(&now.channels, &now.unended)
	return now, err
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}
