package articles

type likeJSON struct {
	CreatedAt string         `json:"created_at"`
	User      map[string]any `json:"user"`
}
