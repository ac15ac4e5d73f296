package grants_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// TestOperatorScopesAreNotGranted asks for a scope that only the operator gives.
func TestOperatorScopesAreNotGranted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.User("ada")
		plain, listing, web := h.client(identity.ClientDevice), h.client(identity.ClientDevice), h.client(identity.ClientWeb)
		// A row of an older release that lists the scope.
		h.exec(`UPDATE identity_clients SET scopes = 'vault' WHERE id = $1`, listing.ID)
		for _, service := range []string{"kms", identity.AllServices} {
			for _, scopes := range [][]string{{"vault"}, {"storage.labels", "vault"}} {
				for name, client := range map[string]string{"a client": plain.ID, "one that lists it": listing.ID, "none": ""} {
					_, err := h.Grants.StartDevice(h.ctx, grants.DeviceRequest{
						Service: service, ClientID: client, Scopes: scopes, TTL: time.Hour,
					})
					if err == nil {
						t.Errorf("device code for %v of %s with client %s: given, want it refused", scopes, service, name)
					}
				}
				_, err := h.Grants.IssueCode(h.ctx, grants.CodeRequest{
					Service: service, ClientID: web.ID, Scopes: scopes, UserID: ada.ID, TTL: time.Hour,
				})
				if err == nil {
					t.Errorf("code for %v of %s: given, want it refused", scopes, service)
				}
			}
		}
	})
}

// TestOperatorScopesOfOldGrants checks that a grant and a refresh token of an older
// release that list the scope become no tokens.
func TestOperatorScopesOfOldGrants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.User("ada"), h.client(identity.ClientDevice)
		s := h.approved(c.ID, ada.ID)
		h.exec(`UPDATE identity_grants SET scopes = 'storage.labels vault' WHERE id = $1`, s.Grant.ID)
		_, err := h.poll(s)
		wantErr(t, err, identity.ErrInvalid)

		tokens, err := h.poll(h.approved(c.ID, ada.ID))
		must(t, err)
		h.exec(`UPDATE identity_credentials SET scopes = 'storage.labels vault', services = 'labels kms'
			WHERE family = $1`, tokens.Token.Family)
		for _, narrowed := range [][]string{nil, {"vault"}} {
			_, err = h.refresh(c, tokens.Refresh, narrowed...)
			wantErr(t, err, identity.ErrInvalid)
		}
	})
}

// TestScopesThatClientsRequest checks the list of a registration in both flows.
func TestScopesThatClientsRequest(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ada := h.User("ada")
	for _, row := range []struct {
		name              string
		listed, requested []string
		want              bool
	}{
		{"none listed, of the flow's service", nil, []string{"storage.labels"}, true},
		{"none listed, of another service", nil, []string{"read_svc"}, false},
		{"none listed, one of each", nil, []string{"storage.labels", "read_svc"}, false},
		{"listed", []string{"read_svc"}, []string{"read_svc"}, true},
		{"listed in full", []string{"http://stoa.test/auth/storage.labels"}, []string{"storage.labels"}, true},
		{"not listed, of the flow's service", []string{"read_svc"}, []string{"storage.labels"}, false},
		{"one that is not listed", []string{"read_svc"}, []string{"read_svc", "write_svc"}, false},
		{"nothing", nil, nil, true},
	} {
		listed := func(n *identity.NewClient) { n.Scopes = row.listed }
		device, web := h.client(identity.ClientDevice, listed), h.client(identity.ClientWeb, listed)
		_, started := h.Grants.StartDevice(h.ctx, grants.DeviceRequest{
			Service: "labels", ClientID: device.ID, Scopes: row.requested, TTL: time.Hour, Interval: time.Second,
		})
		_, coded := h.Grants.IssueCode(h.ctx, grants.CodeRequest{
			Service: "labels", ClientID: web.ID, Scopes: row.requested, UserID: ada.ID, TTL: time.Hour,
		})
		if (started == nil) != row.want || (coded == nil) != row.want {
			t.Errorf("%s: StartDevice %v, IssueCode %v; want allowed: %v", row.name, started, coded, row.want)
		}
	}
}
