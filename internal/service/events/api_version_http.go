package events

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// hostVersion is the version of the vendor's server whose interface is spoken: clients choose
// by it what they ask for.
const hostVersion = "3.17.0"

type metaJSON struct {
	PasswordAuthentication bool   `json:"verifiable_password_authentication"`
	InstalledVersion       string `json:"installed_version"`
}

func (s *Service) handleMeta(*route.Request) (reply, error) {
	return reply{body: metaJSON{InstalledVersion: hostVersion}}, nil
}

// before runs for every request. It sets the headers that all answers have, and
// checks the version of the API.
func (s *Service) before(w http.ResponseWriter, r *route.Request) error {
	s.words.setCommon(w.Header(), r.ID)
	if s.words.sdk && r.UserAgent() == "" {
		return errAgent()
	}
	e, err := chooseVersion(s.world.Dialect.Get(r.Header, s.words.versionWord), r.Start)
	if err != nil {
		return err
	}
	s.words.setVersion(w.Header(), e, r.Start)
	return nil
}

// version is the version that before has accepted.
func (s *Service) version(r *route.Request) Version {
	e, err := chooseVersion(s.world.Dialect.Get(r.Header, s.words.versionWord), r.Start)
	if err != nil {
		return Version2022
	}
	return e.version
}

// presentation is how the caller wants events.
func (s *Service) presentation(r *route.Request) presentation {
	return presentation{s.version(r), s.base(r)}
}

func (s *Service) handleVersions(w http.ResponseWriter, r *route.Request) error {
	list := []Version{}
	for _, e := range apiVersions() {
		if e.ends.IsZero() || r.Start.Before(e.ends) {
			list = append(list, e.version)
		}
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, list)
}

// Version is a date of the API.
type Version string

// The published versions.
const (
	Version2022 Version = "2022-11-28"
	Version2026 Version = "2026-03-10"
)

// apiVersion is a version and when its support ends.
type apiVersion struct {
	version Version
	// ends is zero while no later version limits it.
	ends time.Time
}

// apiVersions lists the versions, oldest first. Support ends 24 months after the
// next version.
func apiVersions() []apiVersion {
	return []apiVersion{
		{Version2022, time.Date(2028, 3, 10, 0, 0, 0, 0, time.UTC)},
		{Version2026, time.Time{}},
	}
}

// chooseVersion finds the version that a request gets: the one it names, or
// the oldest that is still supported.
func chooseVersion(name string, now time.Time) (apiVersion, error) {
	for _, e := range apiVersions() {
		retired := !e.ends.IsZero() && !now.Before(e.ends)
		switch {
		case name == string(e.version) && retired:
			return e, errRetired(name)
		case name == string(e.version), name == "" && !retired:
			return e, nil
		}
	}
	return apiVersion{}, errVersion(name)
}
