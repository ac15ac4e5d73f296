package identity

import (
	"context"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/database"
)

// OrgRole is what a member may do in an organization.
type OrgRole string

// The roles in an organization.
const (
	OrgOwner  OrgRole = "owner"
	OrgMember OrgRole = "member"
)

// Org is an organization: plain, or of the enterprise plan.
type Org struct {
	ID         int64
	Name       string
	Enterprise bool
	CreatedAt  time.Time
}

// OrgMembership ties a user to an organization.
type OrgMembership struct {
	Org      Org
	UserID   int64
	UserName string
	Role     OrgRole
}

// AddOrg makes an organization. The name must be free among users and
// organizations.
func (i *Identity) AddOrg(ctx context.Context, name string, enterprise bool) (Org, error) {
	if err := checkName("organization name", name); err != nil {
		return Org{}, err
	}
	o := Org{Name: name, Enterprise: enterprise, CreatedAt: i.now()}
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		o.ID, err = insertOrg(ctx, tx, o)
		act := audittrail.Act{Action: "org.add", Object: name, Detail: audittrail.Plan(enterprise)}
		return i.trail.After(ctx, tx, err, act)
	})
	return o, err
}

// Org finds an organization by id.
func (i *Identity) Org(ctx context.Context, id int64) (Org, error) {
	return orNotFound(orgByID(ctx, i.db, id))("organization", strconv.FormatInt(id, 10))
}

// OrgByName finds an organization without regard to case.
func (i *Identity) OrgByName(ctx context.Context, name string) (Org, error) {
	return orNotFound(orgByName(ctx, i.db, name))("organization", name)
}

// Orgs lists organizations by name, those after a name: limit of them at most, or all where it is zero.
func (i *Identity) Orgs(ctx context.Context, after string, limit int) ([]Org, error) {
	return orgsAfter(ctx, i.db, Fold(after), limit)
}

// SetOrgEnterprise gives an organization the enterprise plan, or takes it away.
func (i *Identity) SetOrgEnterprise(ctx context.Context, id int64, enterprise bool) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(i.forgetAll)
		err := orNotChanged(updateOrg(ctx, tx, id, enterprise))("organization", id)
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "org.set", OrgID: id, Detail: audittrail.Plan(enterprise)})
	})
}

// SetOrgMember adds a member or changes the role of one.
func (i *Identity) SetOrgMember(ctx context.Context, orgID, userID int64, role OrgRole) error {
	if role != OrgOwner && role != OrgMember {
		return &InvalidError{"role", "must be owner or member"}
	}
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(i.forgetAll)
		if _, err := orNotFound(userByID(ctx, tx, userID))("user", strconv.FormatInt(userID, 10)); err != nil {
			return err
		}
		return i.trail.After(ctx, tx, upsertOrgMember(ctx, tx, orgID, userID, role), audittrail.Act{
			Action: "org.member.add", OrgID: orgID, UserID: userID, Detail: "as " + string(role),
		})
	})
}

// RemoveOrgMember ends a membership.
func (i *Identity) RemoveOrgMember(ctx context.Context, orgID, userID int64) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(i.forgetAll)
		err := orNotChanged(deleteOrgMember(ctx, tx, orgID, userID))("organization member", userID)
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "org.member.remove", OrgID: orgID, UserID: userID})
	})
}

// OrgMembers lists the members of an organization by user id.
func (i *Identity) OrgMembers(ctx context.Context, orgID int64) ([]OrgMembership, error) {
	return orgMembers(ctx, i.db, orgID)
}

// OrgsOf lists the organizations of users, at most a few hundred, with each user's role.
func (i *Identity) OrgsOf(ctx context.Context, userIDs ...int64) ([]OrgMembership, error) {
	return orgsOf(ctx, i.db, userIDs)
}

// OrgRoleOf is the role of a user in an organization; ErrNotFound when the
// user is no member.
func (i *Identity) OrgRoleOf(ctx context.Context, orgID, userID int64) (OrgRole, error) {
	return orNotFound(orgRole(ctx, i.db, orgID, userID))("organization member", strconv.FormatInt(userID, 10))
}

// ApproveClient records that an organization lets its members use a client
// that it does not own; approve false withdraws it.
func (i *Identity) ApproveClient(ctx context.Context, orgID int64, clientID string, approve bool) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(i.forgetAll)
		change, action := deleteApproval, "org.withdraw"
		if approve {
			if _, err := i.Client(ctx, clientID); err != nil {
				return err
			}
			change, action = insertApproval, "org.approve"
		}
		act := audittrail.Act{Action: action, OrgID: orgID, Detail: "application " + clientID}
		return i.trail.After(ctx, tx, change(ctx, tx, orgID, clientID), act)
	})
}

// orNotChanged turns "no row was changed" into a NotFoundError.
func orNotChanged(n int64, err error) func(what string, id int64) error {
	return func(what string, id int64) error {
		if err == nil && n == 0 {
			return &NotFoundError{what, strconv.FormatInt(id, 10)}
		}
		return err
	}
}
