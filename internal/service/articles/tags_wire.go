package articles

type tagJSON struct {
	FollowersCount int64   `json:"followers_count"`
	IconURL        *string `json:"icon_url"`
	ID             string  `json:"id"`
	ItemsCount     int64   `json:"items_count"`
}

func tagToWire(t Tag) tagJSON {
	return tagJSON{FollowersCount: t.Followers, ID: t.Name, ItemsCount: t.Items}
}
