package objects

// Stargazer is a user with the time of the star.
type Stargazer struct {
	StarredAt string `json:"starred_at"`
	User      User   `json:"user"`
}

// Subscription says whether the caller receives the events of a repository.
type Subscription struct {
	Subscribed    bool    `json:"subscribed"`
	Ignored       bool    `json:"ignored"`
	Reason        *string `json:"reason"`
	CreatedAt     string  `json:"created_at"`
	URL           string  `json:"url"`
	RepositoryURL string  `json:"repository_url"`
}
