package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
)

// List is a page of the channels of a user, as the console shows them. The contract has no such list.
type List struct {
	Kind          string   `json:"kind"`
	Items         []Listed `json:"items"`
	NextPageToken string   `json:"nextPageToken,omitempty"`
}

// Listed is a live channel, where its messages go and which client made it. Its token is the receiver's to know.
type Listed struct {
	Channel
	ClientID string `json:"clientId"`
}

// List gives the live channels that the caller may know of: those that the client made for the user, and all of the
// user's for a token made by hand.
func (k *Channels) List(ctx context.Context, by Client, q *queryparams.Query, now time.Time) (*List, error) {
	size := q.Number("maxResults", queryparams.DefaultPageSize, queryparams.MaxPageSize)
	if err := q.Err(); err != nil {
		return nil, err
	}
	rows, err := channelsOf(ctx, k.world.DB, by, q.Text("pageToken"), size+1, now)
	if err != nil {
		return nil, err
	}
	out := &List{Kind: "api#channels", Items: []Listed{}}
	if len(rows) > size {
		rows = rows[:size]
		out.NextPageToken = rows[size-1].id
	}
	for _, c := range rows {
		to, err := k.receiver(c)
		if err != nil {
			return nil, err
		}
		one := Listed{*k.toWire(c, ""), c.clientID}
		one.Type, one.Address = "web_hook", to.Address
		out.Items = append(out.Items, one)
	}
	return out, nil
}

// receiver opens the sealed part of a channel.
func (k *Channels) receiver(c row) (to receiver, err error) {
	plain, err := k.secrets.Open(c.sealed, []byte(c.id))
	if err != nil {
		return to, fmt.Errorf("open the address of channel %s: %w", c.id, err)
	}
	if err := json.Unmarshal(plain, &to); err != nil {
		return to, fmt.Errorf("read the address of channel %s: %w", c.id, err)
	}
	return to, nil
}

func channelsOf(
	ctx context.Context, q database.Querier, by Client, after string, limit int, now time.Time,
) ([]row, error) {
	return database.All(ctx, q, scanChannel, `
		SELECT `+channelColumns+` FROM calendar_channels
		WHERE user_id = $1 AND ended IS NULL AND (expires IS NULL OR expires > $2)
			AND id > $3 AND ($4 = '' OR client_id = $4)
		ORDER BY id LIMIT $5`, by.UserID, database.Time(now), after, by.ClientID, limit)
}
