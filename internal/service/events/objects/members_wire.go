package objects

// Collaborator is a user with permissions.
type Collaborator struct {
	User
	Permissions Permissions `json:"permissions"`
	RoleName    string      `json:"role_name"`
}

// Permission is what one user may do.
type Permission struct {
	Permission string       `json:"permission"`
	RoleName   string       `json:"role_name"`
	User       Collaborator `json:"user"`
}

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
