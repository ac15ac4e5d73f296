package pipelines

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// colour is the group of a status: what it looks like on pages and badges.
func colour(s Status) string {
	switch s {
	case StatusSuccess, StatusFixed:
		return "good"
	case Status(Failed), Status(TimedOut), Status(NoTests):
		return "bad"
	case Status(Running):
		return "live"
	case Status(Queued), Status(NotRunning):
		return "waiting"
	case StatusRetried:
	}
	return "stopped"
}

// badgeColours are the grounds of a badge; white text is readable on all.
func badgeColours() map[string]string {
	return map[string]string{"good": "#2d7d46", "bad": "#b3261e", "live": "#1f62b0", "waiting": "#6b6659", "stopped": "#6b6659"}
}

// badgeCaller is who asks for a badge: a token of the query, or whoever is
// signed in.
func (s *Service) badgeCaller(r *route.Request) (*identity.Caller, error) {
	names := append([]string{"token"}, s.words.tokenQueries...)
	for _, name := range names {
		if secret := r.Query().Get(name); secret != "" {
			c, err := s.identity.Verify(r.Context(), secret, identity.Requirement{Service: Name, Kinds: identity.TokenKinds()})
			if err != nil {
				return nil, identity.CredentialError(err)
			}
			return c, nil
		}
	}
	user, err := s.identity.SignedInUser(r)
	return viewer(user), err
}

// serveBadge answers addresses of projects and branches that end in .svg or
// .cc.xml; false means that this is none.
func (s *Service) serveBadge(w http.ResponseWriter, r *route.Request) (bool, error) {
	name, branch := r.PathValue("project"), cleanBranch(r.PathValue("branch"))
	last := &name
	if branch != "" {
		last = &branch
	}
	sort := ""
	for _, suffix := range []string{".svg", ".cc.xml"} {
		if rest, ok := strings.CutSuffix(*last, suffix); ok && rest != "" {
			*last, sort = rest, suffix
		}
	}
	if sort == "" {
		return false, nil
	}
	caller, err := s.badgeCaller(r)
	if err != nil {
		return true, err
	}
	repo, err := s.find(r.Context(), caller, r.PathValue("username"), name, rightStatus)
	if err != nil {
		return true, err
	}
	if sort == ".cc.xml" {
		return true, s.writeFeed(w, r, []forge.Repository{repo})
	}
	return true, s.writeBadge(w, r, repo, branch)
}

func (s *Service) writeBadge(w http.ResponseWriter, r *route.Request, repo forge.Repository, branch string) error {
	if branch == "" {
		branch = repo.DefaultBranch
	}
	word, group := "no builds", "waiting"
	b, err := latestOf(r.Context(), s.world.DB, repo.ID, branch, r.Query().Get("job"), FilterCompleted)
	switch {
	case err == nil:
		word, group = badgeWord(b.State.Status), colour(b.State.Status)
	case !errors.Is(err, database.ErrNotFound):
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "image/svg+xml; charset=utf-8", badge(word, badgeColours()[group]))
}

func badgeWord(s Status) string {
	switch colour(s) {
	case "good":
		return "passing"
	case "bad":
		return "failing"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// badge draws two fields side by side. Widths follow from the letters: seven
// units each are enough for the font.
func badge(word, ground string) []byte {
	const label, letter, pad = "pipelines", 7, 10
	left, right := len(label)*letter+pad, len(word)*letter+pad
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s"><title>%[2]s: %[3]s</title>`+
		`<clipPath id="r"><rect width="%[1]d" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="%[4]d" height="20" fill="#3a3733"/>`+
		`<rect x="%[4]d" width="%[5]d" height="20" fill="%[6]s"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`+
		`<text x="%[7]d" y="14">%[2]s</text><text x="%[8]d" y="14">%[3]s</text></g></svg>`,
		left+right, label, word, left, right, ground, left/2, left+right/2)
}

// ccProject is one line of a CCTray feed.
type ccProject struct {
	XMLName  xml.Name `xml:"Project"`
	Name     string   `xml:"name,attr"`
	Activity string   `xml:"activity,attr"`
	Status   string   `xml:"lastBuildStatus,attr"`
	Label    string   `xml:"lastBuildLabel,attr"`
	Time     string   `xml:"lastBuildTime,attr,omitempty"`
	URL      string   `xml:"webUrl,attr"`
}

// handleFeed is the CCTray feed of everything a person follows.
func (s *Service) handleFeed(w http.ResponseWriter, r *route.Request) error {
	caller, err := s.badgeCaller(r)
	if err != nil {
		return err
	}
	if err := personal(caller); err != nil {
		return err
	}
	repos, err := s.following(r.Context(), caller)
	if err != nil {
		return err
	}
	return s.writeFeed(w, r, repos)
}

func (s *Service) writeFeed(w http.ResponseWriter, r *route.Request, repos []forge.Repository) error {
	out := []byte(xml.Header + "<Projects>")
	for _, repo := range repos {
		p := ccProject{
			Name: repo.FullName(), Activity: "Sleeping", Status: "Unknown",
			URL: s.world.URL() + "/" + s.words.shorts[vcsA] + "/" + repo.FullName(),
		}
		b, err := latestOf(r.Context(), s.world.DB, repo.ID, repo.DefaultBranch, "", FilterNone)
		if err == nil {
			p.describe(b)
		} else if !errors.Is(err, database.ErrNotFound) {
			return err
		}
		line, err := xml.Marshal(p)
		if err != nil {
			return err
		}
		out = append(out, line...)
	}
	out = append(out, "</Projects>"...)
	w.Header().Set("Cache-Control", "no-cache")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/xml; charset=utf-8", out)
}

func (p *ccProject) describe(b Build) {
	p.Label = fmt.Sprint(b.Num)
	if !b.StopTime.IsZero() {
		p.Time = b.StopTime.Format(timeForm)
	}
	if !b.State.Ended() {
		p.Activity = "Building"
	}
	switch colour(b.State.Status) {
	case "good":
		p.Status = "Success"
	case "bad":
		p.Status = "Failure"
	}
}
