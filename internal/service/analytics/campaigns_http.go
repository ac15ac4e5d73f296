package analytics

import (
	"cmp"
	"net/http"
	"slices"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxQuery is how long the text that campaigns are searched by may be.
const maxQuery = 255

func (s *Service) handleListCampaigns(w http.ResponseWriter, r *route.Request) error {
	query := r.Query()
	p, err := readPager(query, true, "createdAt", "businessName")
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(query.Get("query")) > maxQuery {
		return errInvalidField("query", "must have at most 255 characters")
	}

	list, err := s.ListCampaigns(r.Context(), identity.From(r).UserID, query.Get("query"))
	if err != nil {
		return err
	}

	if query.Get("onlyMarkedForRemoval") == "true" {
		list = nil // a campaign is removed at once: none waits for it
	}
	slices.SortStableFunc(list, func(a, b Campaign) int {
		if p.field == "businessName" {
			return p.order(cmp.Compare(a.Business.Name, b.Business.Name))
		}
		return p.order(a.CreatedAt.Compare(b.CreatedAt))
	})
	owner, err := s.identity.User(r.Context(), identity.From(r).UserID)
	if err != nil {
		return err
	}

	out := make([]campaignJSON, len(list))
	for i, c := range list {
		out[i] = c.toListWire(owner.Address())
	}
	return writeData(w, r, newPage(p, out))
}

func (s *Service) handleGetCampaign(w http.ResponseWriter, r *route.Request) error {
	c, err := s.GetCampaign(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"))
	if err != nil {
		return err
	}

	return s.writeCampaign(w, r, c)
}

func (s *Service) handleCreateCampaign(w http.ResponseWriter, r *route.Request) error {
	change, err := readCampaign(r)
	if err != nil {
		return err
	}

	c, err := s.CreateCampaign(r.Context(), identity.From(r).UserID, change)
	if err != nil {
		return err
	}

	return s.writeCampaign(w, r, c)
}

func (s *Service) handleUpdateCampaign(w http.ResponseWriter, r *route.Request) error {
	change, err := readCampaign(r)
	if err != nil {
		return err
	}

	c, err := s.UpdateCampaign(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), change)
	if err != nil {
		return err
	}

	return s.writeCampaign(w, r, c)
}

func (s *Service) writeCampaign(w http.ResponseWriter, r *route.Request, c Campaign) error {
	owner, err := s.identity.User(r.Context(), c.OwnerID)
	if err != nil {
		return err
	}
	return writeData(w, r, c.toWire(owner.Address()))
}

func readCampaign(r *route.Request) (CampaignChange, error) {
	var in campaignRequest
	if err := wire.ReadJSON(r.Request, &in, wire.DisallowUnknown()); err != nil {
		return CampaignChange{}, err
	}
	return in.fromWire()
}

func (s *Service) handleDeleteCampaign(w http.ResponseWriter, r *route.Request) error {
	if err := s.DeleteCampaign(r.Context(), identity.From(r).UserID, r.PathValue("campaignId")); err != nil {
		return err
	}

	return writeData(w, r, struct{}{})
}
