package audittrail_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/audit"
)

func TestActs(t *testing.T) {
	t.Parallel()
	yes := true
	key := audittrail.Credential{ID: 7, Kind: "api", Key: true, Services: []string{"apikeys"}, UserID: 3, Replaced: 5}
	for name, row := range map[string]struct{ got, want audittrail.Act }{
		"a key": {key.Act("replace"), audittrail.Act{
			Action: "key.replace", Object: "key 7", UserID: 3, Detail: "api for apikeys in place of 5",
		}},
		"a change": {audittrail.Change{Email: true, Admin: &yes}.Act("ada"), audittrail.Act{
			Action: "user.set", Object: "ada", Detail: "email, administrator: yes",
		}},
		"disabled": {audittrail.Change{Disabled: &yes}.Act("ada"), audittrail.Act{Action: "user.disable", Object: "ada"}},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, row.got, row.want)
		}
	}
}

func TestCaller(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		caller audittrail.Caller
		want   audit.Actor
	}{
		"a token": {
			audittrail.Caller{Name: "ada", Credential: audittrail.Credential{ID: 4, Kind: "personal"}},
			audit.Actor{Name: "ada", Credential: "personal token 4"},
		},
		"an application": {
			audittrail.Caller{ClientID: "c0", Credential: audittrail.Credential{Kind: "client"}},
			audit.Actor{Name: "application c0", Credential: "client"},
		},
		"a workflow": {
			audittrail.Caller{Credential: audittrail.Credential{ID: 4, Kind: "workflow", Repo: "ada/site"}},
			audit.Actor{Name: "repository ada/site", Credential: "workflow token 4"},
		},
	} {
		if got := row.caller.Actor(); got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
	}
}
