package objects

// RepoLinks are the addresses of what belongs to a repository, some of them
// templates. Clients that check their input refuse a repository that lacks one.
type RepoLinks struct {
	ArchiveURL       string `json:"archive_url"`
	AssigneesURL     string `json:"assignees_url"`
	BlobsURL         string `json:"blobs_url"`
	BranchesURL      string `json:"branches_url"`
	CollaboratorsURL string `json:"collaborators_url"`
	CommentsURL      string `json:"comments_url"`
	CommitsURL       string `json:"commits_url"`
	CompareURL       string `json:"compare_url"`
	ContentsURL      string `json:"contents_url"`
	ContributorsURL  string `json:"contributors_url"`
	DeploymentsURL   string `json:"deployments_url"`
	DownloadsURL     string `json:"downloads_url"`
	EventsURL        string `json:"events_url"`
	ForksURL         string `json:"forks_url"`
	GitCommitsURL    string `json:"git_commits_url"`
	GitRefsURL       string `json:"git_refs_url"`
	GitTagsURL       string `json:"git_tags_url"`
	HooksURL         string `json:"hooks_url"`
	IssueCommentURL  string `json:"issue_comment_url"`
	IssueEventsURL   string `json:"issue_events_url"`
	IssuesURL        string `json:"issues_url"`
	KeysURL          string `json:"keys_url"`
	LabelsURL        string `json:"labels_url"`
	LanguagesURL     string `json:"languages_url"`
	// MergesURL is null: there is nothing that merges.
	MergesURL        *string `json:"merges_url"`
	MilestonesURL    string  `json:"milestones_url"`
	NotificationsURL string  `json:"notifications_url"`
	PullsURL         string  `json:"pulls_url"`
	ReleasesURL      string  `json:"releases_url"`
	StargazersURL    string  `json:"stargazers_url"`
	StatusesURL      string  `json:"statuses_url"`
	SubscribersURL   string  `json:"subscribers_url"`
	SubscriptionURL  string  `json:"subscription_url"`
	TagsURL          string  `json:"tags_url"`
	TeamsURL         string  `json:"teams_url"`
	TreesURL         string  `json:"trees_url"`
}

// repoLinks are the addresses below a repository's own.
func repoLinks(url string) RepoLinks {
	return RepoLinks{
		ArchiveURL:       url + "/{archive_format}{/ref}",
		AssigneesURL:     url + "/assignees{/user}",
		BlobsURL:         url + "/git/blobs{/sha}",
		BranchesURL:      url + "/branches{/branch}",
		CollaboratorsURL: url + "/collaborators{/collaborator}",
		CommentsURL:      url + "/comments{/number}",
		CommitsURL:       url + "/commits{/sha}",
		CompareURL:       url + "/compare/{base}...{head}",
		ContentsURL:      url + "/contents/{+path}",
		ContributorsURL:  url + "/contributors",
		DeploymentsURL:   url + "/deployments",
		DownloadsURL:     url + "/downloads",
		EventsURL:        url + "/events",
		ForksURL:         url + "/forks",
		GitCommitsURL:    url + "/git/commits{/sha}",
		GitRefsURL:       url + "/git/refs{/sha}",
		GitTagsURL:       url + "/git/tags{/sha}",
		HooksURL:         url + "/hooks",
		IssueCommentURL:  url + "/issues/comments{/number}",
		IssueEventsURL:   url + "/issues/events{/number}",
		IssuesURL:        url + "/issues{/number}",
		KeysURL:          url + "/keys{/key_id}",
		LabelsURL:        url + "/labels{/name}",
		LanguagesURL:     url + "/languages",
		MilestonesURL:    url + "/milestones{/number}",
		NotificationsURL: url + "/notifications{?since,all,participating}",
		PullsURL:         url + "/pulls{/number}",
		ReleasesURL:      url + "/releases{/id}",
		StargazersURL:    url + "/stargazers",
		StatusesURL:      url + "/statuses/{sha}",
		SubscribersURL:   url + "/subscribers",
		SubscriptionURL:  url + "/subscription",
		TagsURL:          url + "/tags",
		TeamsURL:         url + "/teams",
		TreesURL:         url + "/git/trees{/sha}",
	}
}
