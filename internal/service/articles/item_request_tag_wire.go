package articles

import "time"

// itemRequest is what an author writes; nil leaves a member as it is.
type itemRequest struct {
	Title     *string    `json:"title"`
	Body      *string    `json:"body"`
	Tags      *[]Tagging `json:"tags"`
	Private   *bool      `json:"private"`
	Coediting *bool      `json:"coediting"`
	Slide     *bool      `json:"slide"`
	// GroupURLName names a group of the team; empty means all of it.
	GroupURLName *string `json:"group_url_name"`
}

// formatTime writes a time as the contract does.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

type tagJSON struct {
	FollowersCount int64   `json:"followers_count"`
	IconURL        *string `json:"icon_url"`
	ID             string  `json:"id"`
	ItemsCount     int64   `json:"items_count"`
}

func tagToWire(t Tag) tagJSON {
	return tagJSON{FollowersCount: t.Followers, ID: t.Name, ItemsCount: t.Items}
}
