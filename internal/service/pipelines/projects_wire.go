package pipelines

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// writeMe answers with a person. Trials are not sold here, so theirs never end.
func (s *Service) writeMe(w http.ResponseWriter, r *route.Request, p person) error {
	out := answer(r).Object()
	putText(out, "login", p.user.Name)
	putText(out, "basic_email_prefs", string(p.prefs))
	putWord(out, "user_key_fingerprint", p.key)
	putInt(out, "days_left_in_trial", 0)
	out.Key("trial_end").Null()
	putBool(out, "admin", p.user.Admin)
	putWord(out, "name", p.user.DisplayName)
	out.Key("avatar_url").Null()
	putWord(out, "selected_email", p.user.Email)
	emails := []string{}
	if p.user.Email != "" {
		emails = append(emails, p.user.Email)
	}
	putTexts(out, "all_emails", emails)
	putInt(out, "num_projects_followed", int64(len(p.projects)))
	out.Key("projects").Object()
	for _, repo := range p.projects {
		out.Key(s.vcsURL(repo, vcsA)).Object().Key("emails").Text("default").Key("on_dashboard").Bool(true).End()
	}
	out.End()
	putTime(out, "created_at", p.user.CreatedAt)
	putInt(out, "containers", int64(s.config.Concurrency))
	putInt(out, "parallelism", maxParallel)
	return write(w, r, http.StatusOK, out.End())
}

// projectMembers writes what lists show of a project.
func (s *Service) projectMembers(w *wire.Builder, v ProjectView, kind vcs) {
	putText(w, "vcs_url", s.vcsURL(v.Repo, kind))
	putBool(w, "followed", v.Followed)
	putText(w, "username", v.Repo.Owner.Name)
	putText(w, "reponame", v.Repo.Name)
	putText(w, "vcs_type", s.words.kinds[kind])
	putText(w, "default_branch", v.Repo.DefaultBranch)
	putBool(w, "enabled", v.Enabled)
	putBool(w, "has_usable_key", v.Usable)
	putBool(w, "oss", v.Settings.flag(flagOSS) && !v.Repo.Private)
	putInt(w, "parallel", 1)
	w.Key("language").Null()
}

// settingsToWire writes what administrators see. Secrets are not shown again.
func (s *Service) settingsToWire(w *wire.Builder, v ProjectView) {
	flags := v.Settings.flags()
	w.Key("feature_flags").Object()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		word := name
		if name == "set-status" {
			word = s.words.setStatus
		}
		putBool(w, word, flags[name])
	}
	w.End()
	w.Key("webhooks").Array()
	for _, hook := range v.Webhooks {
		w.Object().Key("url").Text(hook.URL).Key("has_secret").Bool(hook.Secret != "").End()
	}
	w.End()
	w.Key("ssh_keys").Array()
	for _, k := range v.HostKeys {
		w.Object().Key("hostname").Text(k.Hostname).Key("public_key").Text(k.PublicKey).Key("fingerprint").Text(k.MD5).End()
	}
	w.End()
	for _, name := range slices.Sorted(maps.Keys(v.Settings.Keys)) {
		w.Key(name).JSON(v.Settings.Keys[name])
	}
}

// settingsFromWire reads a change: flags, webhooks, and any other key that is
// not one of the answer's own.
func (s *Service) settingsFromWire(in map[string]json.RawMessage) (SettingsChange, error) {
	c := SettingsChange{Keys: map[string]json.RawMessage{}}
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
					flag = "set-status"
				}
				c.Flags[flag] = on
			}
		case name == "webhooks":
			hooks := []Webhook{}
			if err := json.Unmarshal(raw, &hooks); err != nil {
				return c, errInvalid("webhooks must be a list of {url, secret}")
			}
			c.Webhooks = &hooks
		case slices.Contains(own, name) || len(name) > 100:
			return c, errInvalid(clip(name) + " cannot be changed here")
		default:
			c.Keys[name] = slices.Clone(raw)
		}
	}
	return c, nil
}

// branchesToWire groups the jobs of a project by branch. Names are
// percent-encoded as keys, which is what clients expect.
func branchesToWire(w *wire.Builder, jobs []BranchJob) {
	w.Object()
	for i := 0; i < len(jobs); {
		from := i
		for i < len(jobs) && jobs[i].Branch == jobs[from].Branch {
			i++
		}
		branchToWire(w.Key(url.QueryEscape(jobs[from].Branch)), jobs[from:i])
	}
	w.End()
}

func branchToWire(w *wire.Builder, jobs []BranchJob) {
	w.Object()
	logins := []string{}
	for _, j := range jobs {
		if j.Actor.Name != "" && !slices.Contains(logins, j.Actor.Name) {
			logins = append(logins, j.Actor.Name)
		}
	}
	slices.Sort(logins)
	putTexts(w, "pusher_logins", logins)
	for _, good := range []bool{true, false} {
		key := "last_non_success"
		if good {
			key = "last_success"
		}
		last := slices.IndexFunc(jobs, func(j BranchJob) bool { return j.rankEnd == 1 && j.State.Lifecycle == Finished && j.good == good })
		if last < 0 {
			w.Key(key).Null()
		} else {
			branchJobToWire(w.Key(key), jobs[last])
		}
	}
	w.Key("recent_builds").Array()
	for _, j := range jobs {
		if j.rank <= 5 {
			branchJobToWire(w, j)
		}
	}
	w.End()
	w.Key("running_builds").Array()
	for _, j := range jobs {
		if !j.State.Ended() {
			branchJobToWire(w, j)
		}
	}
	w.End().End()
}

func branchJobToWire(w *wire.Builder, j BranchJob) {
	w.Object()
	putTime(w, "pushed_at", j.PushedAt)
	putText(w, "vcs_revision", j.Revision)
	putInt(w, "build_num", j.Num)
	putWord(w, "outcome", string(j.State.Outcome))
	putText(w, "status", string(j.State.Status))
	putTime(w, "added_at", j.AddedAt)
	putBool(w, "is_workflow_job", j.Workflow)
	w.End()
}

// repoToWire writes a repository that could be followed.
func (s *Service) repoToWire(ctx context.Context, w *wire.Builder, repo forge.Repository, c *identity.Caller, have right) error {
	following, err := isFollowed(ctx, s.world.DB, c.UserID, repo.ID)
	if err != nil {
		return err
	}
	w.Object()
	putText(w, "username", repo.Owner.Name)
	putText(w, "name", repo.Name)
	putText(w, "vcs_url", s.vcsURL(repo, vcsA))
	putText(w, "vcs_type", s.words.kinds[vcsA])
	putBool(w, "private", repo.Private)
	putBool(w, "admin", have >= rightAdmin)
	putBool(w, "following", following)
	putText(w, "default_branch", repo.DefaultBranch)
	putTime(w, "pushed_at", repo.PushedAt)
	w.End()
	return nil
}
