package pipelines

import (
	"encoding/json"
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// meJSON is the user behind a token. Trials are not sold here, so theirs never end.
type meJSON struct {
	Login               wire.Text          `json:"login"`
	EmailPrefs          project.EmailPrefs `json:"basic_email_prefs"`
	UserKeyFingerprint  any                `json:"user_key_fingerprint"`
	DaysLeftInTrial     int                `json:"days_left_in_trial"`
	TrialEnd            any                `json:"trial_end"`
	Admin               bool               `json:"admin"`
	Name                optional           `json:"name"`
	AvatarURL           any                `json:"avatar_url"`
	SelectedEmail       optional           `json:"selected_email"`
	AllEmails           []wire.Text        `json:"all_emails"`
	NumProjectsFollowed int                `json:"num_projects_followed"`
	// Projects has a member for each project, in the order in which they were followed.
	Projects    joined   `json:"projects"`
	CreatedAt   optional `json:"created_at"`
	Containers  int      `json:"containers"`
	Parallelism int      `json:"parallelism"`
}

type meProjectJSON struct {
	Emails      string `json:"emails"`
	OnDashboard bool   `json:"on_dashboard"`
}

func (s *Service) profileToWire(p profile, base string) meJSON {
	out := meJSON{
		Login: wire.Text(p.user.Name), EmailPrefs: p.prefs, Admin: p.user.Admin, Name: optional(p.user.DisplayName),
		SelectedEmail: optional(p.user.Email), AllEmails: []wire.Text{}, NumProjectsFollowed: len(p.projects),
		CreatedAt: stamp(p.user.CreatedAt), Containers: s.config.Concurrency, Parallelism: maxParallel,
	}
	if p.user.Email != "" {
		out.AllEmails = append(out.AllEmails, wire.Text(p.user.Email))
	}
	for _, repo := range p.projects {
		out.Projects = append(out.Projects, map[string]meProjectJSON{
			s.names.RepoURL(base, repo, vcs.A): {"default", true},
		})
	}
	return out
}

// projectJSON is what lists show of a project.
type projectJSON struct {
	VCSURL        string    `json:"vcs_url"`
	Followed      bool      `json:"followed"`
	Username      wire.Text `json:"username"`
	Reponame      wire.Text `json:"reponame"`
	VCSType       string    `json:"vcs_type"`
	DefaultBranch wire.Text `json:"default_branch"`
	Enabled       bool      `json:"enabled"`
	HasUsableKey  bool      `json:"has_usable_key"`
	OSS           bool      `json:"oss"`
	Parallel      int       `json:"parallel"`
	Language      any       `json:"language"`
}

func (s *Service) projectToWire(v project.View, k vcs.Kind, base string) projectJSON {
	return projectJSON{
		VCSURL: s.names.RepoURL(base, v.Repo, k), Followed: v.Followed, Username: wire.Text(v.Repo.Owner.Name),
		Reponame: wire.Text(v.Repo.Name), VCSType: s.names.Type(k), DefaultBranch: wire.Text(v.Repo.DefaultBranch),
		Enabled: v.Enabled, HasUsableKey: v.Usable, OSS: v.Settings.Flag(project.FlagOSS) && !v.Repo.Private,
		Parallel: 1,
	}
}

// settingsJSON is what administrators see. Secrets are not shown again.
type settingsJSON struct {
	FeatureFlags map[string]bool `json:"feature_flags"`
	Webhooks     []webhookJSON   `json:"webhooks"`
	SSHKeys      []sshKeyJSON    `json:"ssh_keys"`
}

type webhookJSON struct {
	URL       wire.Text `json:"url"`
	HasSecret bool      `json:"has_secret"`
}

// settingsToWire is a project with its settings, further ones last.
func (s *Service) settingsToWire(v project.View, k vcs.Kind, base string) joined {
	out := settingsJSON{FeatureFlags: v.Settings.AllFlags(), Webhooks: []webhookJSON{}, SSHKeys: []sshKeyJSON{}}
	if own := s.words.setStatus; own != project.FlagSetStatus {
		out.FeatureFlags[own] = out.FeatureFlags[project.FlagSetStatus]
		delete(out.FeatureFlags, project.FlagSetStatus)
	}
	for _, hook := range v.Webhooks {
		out.Webhooks = append(out.Webhooks, webhookJSON{wire.Text(hook.URL), hook.Secret != ""})
	}
	for _, key := range v.HostKeys {
		out.SSHKeys = append(out.SSHKeys, sshKeyToWire(key))
	}
	return joined{s.projectToWire(v, k, base), out, v.Settings.Keys}
}

// settingsFromWire reads a change: flags, webhooks, and any other key that is not one of the answer's own.
func (s *Service) settingsFromWire(in map[string]json.RawMessage) (project.SettingsChange, error) {
	c := project.SettingsChange{Keys: map[string]json.RawMessage{}}
	own := []string{
		"vcs_url", "followed", "username", "reponame", "vcs_type", "default_branch", "enabled", "has_usable_key", "oss",
		"parallel", "language", "ssh_keys", "branches", "first_build",
	}
	for name, raw := range in {
		switch {
		case name == "feature_flags":
			var flags map[string]bool
			if err := json.Unmarshal(raw, &flags); err != nil {
				return c, errInvalid("feature_flags must map names to true or false")
			}
			c.Flags = map[string]bool{}
			for flag, on := range flags {
				if slices.Contains(s.words.setStatuses, flag) {
					flag = project.FlagSetStatus
				}
				c.Flags[flag] = on
			}
		case name == "webhooks":
			hooks := []project.Webhook{}
			if err := json.Unmarshal(raw, &hooks); err != nil {
				return c, errInvalid("webhooks must be a list of {url, secret}")
			}
			c.Webhooks = &hooks
		case slices.Contains(own, name):
			return c, errInvalid("%s cannot be changed here", refusal.Quote(name))
		default:
			c.Keys[name] = slices.Clone(raw)
		}
	}
	return c, nil
}

type branchJSON struct {
	PusherLogins   []wire.Text     `json:"pusher_logins"`
	LastSuccess    *branchJobJSON  `json:"last_success"`
	LastNonSuccess *branchJobJSON  `json:"last_non_success"`
	RecentBuilds   []branchJobJSON `json:"recent_builds"`
	RunningBuilds  []branchJobJSON `json:"running_builds"`
}

type branchJobJSON struct {
	PushedAt      optional `json:"pushed_at"`
	Revision      string   `json:"vcs_revision"`
	BuildNum      int64    `json:"build_num"`
	Outcome       optional `json:"outcome"`
	Status        string   `json:"status"`
	AddedAt       optional `json:"added_at"`
	IsWorkflowJob bool     `json:"is_workflow_job"`
}

// branchesToWire groups the jobs of a project by branch. Names are percent-encoded as members, which is what clients
// expect.
func branchesToWire(jobs []build.BranchJob) joined {
	out := joined{}
	for i := 0; i < len(jobs); {
		from := i
		for i < len(jobs) && jobs[i].Branch == jobs[from].Branch {
			i++
		}
		out = append(out, map[string]branchJSON{url.QueryEscape(jobs[from].Branch): branchToWire(jobs[from:i])})
	}
	return out
}

func branchToWire(jobs []build.BranchJob) branchJSON {
	out := branchJSON{RecentBuilds: []branchJobJSON{}, RunningBuilds: []branchJobJSON{}}
	var logins []string
	for _, j := range jobs {
		if j.Actor.Name != "" && !slices.Contains(logins, j.Actor.Name) {
			logins = append(logins, j.Actor.Name)
		}
		one := branchJobJSON{
			PushedAt: stamp(j.PushedAt), Revision: j.Revision, BuildNum: j.Num, Outcome: optional(j.State.Outcome),
			Status: string(j.State.Status), AddedAt: stamp(j.AddedAt), IsWorkflowJob: j.Workflow,
		}
		if j.Last {
			last := &out.LastNonSuccess
			if j.State.Outcome == build.Success {
				last = &out.LastSuccess
			}
			if *last == nil {
				*last = &one
			}
		}
		if j.Recent {
			out.RecentBuilds = append(out.RecentBuilds, one)
		}
		if !j.State.Ended() {
			out.RunningBuilds = append(out.RunningBuilds, one)
		}
	}
	slices.Sort(logins)
	out.PusherLogins = texts(logins)
	return out
}

// candidateJSON is a repository that could be followed.
type candidateJSON struct {
	Username      wire.Text `json:"username"`
	Name          wire.Text `json:"name"`
	VCSURL        string    `json:"vcs_url"`
	VCSType       string    `json:"vcs_type"`
	Private       bool      `json:"private"`
	Admin         bool      `json:"admin"`
	Following     bool      `json:"following"`
	DefaultBranch wire.Text `json:"default_branch"`
	PushedAt      optional  `json:"pushed_at"`
}

func (s *Service) candidatesToWire(list []project.Candidate, base string) []candidateJSON {
	out := make([]candidateJSON, 0, len(list))
	for _, c := range list {
		out = append(out, candidateJSON{
			Username: wire.Text(c.Repo.Owner.Name), Name: wire.Text(c.Repo.Name),
			VCSURL:  s.names.RepoURL(base, c.Repo, vcs.A),
			VCSType: s.names.Type(vcs.A), Private: c.Repo.Private, Admin: c.Admin, Following: c.Following,
			DefaultBranch: wire.Text(c.Repo.DefaultBranch), PushedAt: stamp(c.Repo.PushedAt),
		})
	}
	return out
}

func (s *Service) followersToWire(users []identity.User, k vcs.Kind) []userJSON {
	out := make([]userJSON, 0, len(users))
	for _, u := range users {
		out = append(out, s.userToWire(forgeActor(u), k))
	}
	return out
}
