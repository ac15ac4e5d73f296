package events

import (
	"net/http"

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
