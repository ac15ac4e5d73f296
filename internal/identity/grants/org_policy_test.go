package grants_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

func TestOrganizationsLimitGrants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, grace := h.User("ada"), h.User("grace")
		org, err := h.Identity.AddOrg(t.Context(), "lyceum", false)
		must(t, err)
		must(t, h.Identity.SetOrgMember(t.Context(), org.ID, ada.ID, identity.OrgMember))

		internal := h.client(identity.ClientDevice, func(n *identity.NewClient) { n.OrgID, n.Internal = org.ID, true })
		outside := h.device(internal.ID)
		g, err := h.Grants.Decide(t.Context(), outside.Grant.ID, grace.ID, true)
		must(t, err)
		if g.State != grants.Refused {
			t.Errorf("state = %s, want refused", g.State)
		}
		_, err = h.poll(outside)
		wantErr(t, err, grants.ErrInternal)

		_, err = h.poll(h.approved(internal.ID, ada.ID))
		must(t, err)

		must(t, h.Grants.ForbidScope(t.Context(), org.ID, "storage.labels", true))
		open := h.client(identity.ClientDevice)
		_, err = h.poll(h.approved(open.ID, ada.ID))
		wantErr(t, err, grants.ErrPolicy)

		must(t, h.Grants.ForbidScope(t.Context(), org.ID, "storage.labels", false))
		_, err = h.poll(h.approved(open.ID, ada.ID))
		must(t, err)
	})
}
