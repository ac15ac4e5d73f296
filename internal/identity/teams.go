package identity

import (
	"context"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/database"
)

// TeamRole is what a member may do in a team.
type TeamRole string

// The roles in a team, the strongest first.
const (
	TeamOwner  TeamRole = "owner"
	TeamAdmin  TeamRole = "admin"
	TeamMember TeamRole = "member"
)

// Manages reports whether the role may manage members and see their addresses.
func (r TeamRole) Manages() bool { return r == TeamOwner || r == TeamAdmin }

// Team is a group of users with a host name of its own.
type Team struct {
	ID int64
	// Name is the host label and the team's id in the article contract.
	Name string
	// Title is the name that pages show.
	Title string
	// SSOOnly teams are reachable with team access tokens only.
	SSOOnly   bool
	Active    bool
	CreatedAt time.Time
}

// NewTeam is what AddTeam needs. An empty Title means the name.
type NewTeam struct {
	Name, Title string
	OwnerID     int64
	MemberIDs   []int64
	SSOOnly     bool
}

// TeamMembership is one member as the team sees it.
type TeamMembership struct {
	User     User
	TeamID   int64
	Role     TeamRole
	JoinedAt time.Time
	// LastAccess is zero when the member never used the team.
	LastAccess time.Time
}

// AddTeam makes a team with its owner and first members, all or nothing.
func (i *Identity) AddTeam(ctx context.Context, n NewTeam) (Team, error) {
	if err := checkTeamName(n.Name); err != nil {
		return Team{}, err
	}
	if err := checkText("team title", n.Title, 255); err != nil {
		return Team{}, err
	}
	t := Team{Name: Fold(n.Name), Title: n.Title, SSOOnly: n.SSOOnly, Active: true, CreatedAt: i.now()}
	if t.Title == "" {
		t.Title = n.Name
	}
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if t.ID, err = insertTeam(ctx, tx, t); err != nil {
			return err
		}
		for _, id := range n.MemberIDs {
			if err := upsertTeamMember(ctx, tx, t.ID, id, TeamMember, t.CreatedAt); err != nil {
				return err
			}
		}
		// The owner comes last, so that naming the owner as a member too does
		// not take the role away.
		err = upsertTeamMember(ctx, tx, t.ID, n.OwnerID, TeamOwner, t.CreatedAt)
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "team.add", Object: t.Name})
	})
	return t, err
}

// Team finds a team by id.
func (i *Identity) Team(ctx context.Context, id int64) (Team, error) {
	return orNotFound(teamByID(ctx, i.db, id))("team", strconv.FormatInt(id, 10))
}

// TeamByName finds a team by its host label, without regard to case.
func (i *Identity) TeamByName(ctx context.Context, name string) (Team, error) {
	return orNotFound(teamByName(ctx, i.db, name))("team", name)
}

// TeamsOf lists the teams of a user, the newest first.
func (i *Identity) TeamsOf(ctx context.Context, userID int64) ([]Team, error) {
	return teamsOf(ctx, i.db, userID)
}

// Teams lists teams as Orgs does organizations.
func (i *Identity) Teams(ctx context.Context, after string, limit int) ([]Team, error) {
	return teamsAfter(ctx, i.db, Fold(after), limit)
}

// TeamChange holds the members to change; nil leaves one as it is.
type TeamChange struct {
	Title           *string
	SSOOnly, Active *bool
}

// UpdateTeam changes a team.
func (i *Identity) UpdateTeam(ctx context.Context, id int64, change TeamChange) (Team, error) {
	if change.Title != nil {
		if err := checkText("team title", *change.Title, 255); err != nil {
			return Team{}, err
		}
	}
	var t Team
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if t, err = teamByID(ctx, tx, id); err != nil {
			return err
		}
		set(&t.Title, change.Title)
		set(&t.SSOOnly, change.SSOOnly)
		set(&t.Active, change.Active)
		tx.OnCommit(i.forgetAll)
		return i.trail.After(ctx, tx, updateTeam(ctx, tx, t), audittrail.Act{Action: "team.set", Object: t.Name})
	})
	return orNotFound(t, err)("team", strconv.FormatInt(id, 10))
}

// TeamMembers lists members in the order they joined; limit 0 means all. The
// second result counts all members.
func (i *Identity) TeamMembers(ctx context.Context, teamID int64, offset, limit int) ([]TeamMembership, int64, error) {
	var list []TeamMembership
	var total int64
	err := i.db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if total, err = countTeamMembers(ctx, tx, teamID); err != nil {
			return err
		}
		list, err = teamMembers(ctx, tx, teamID, offset, limit)
		return err
	})
	i.lastUsed.overlayAccess(list)
	return list, total, err
}

// TeamMember finds one member; ErrNotFound when the user is not in the team.
func (i *Identity) TeamMember(ctx context.Context, teamID, userID int64) (TeamMembership, error) {
	m, err := teamMember(ctx, i.db, teamID, userID)
	if err == nil {
		one := []TeamMembership{m}
		i.lastUsed.overlayAccess(one)
		m = one[0]
	}
	return orNotFound(m, err)("team member", strconv.FormatInt(userID, 10))
}

// SetTeamMember adds a member or changes the role of one.
func (i *Identity) SetTeamMember(ctx context.Context, teamID, userID int64, role TeamRole) error {
	if role != TeamOwner && role != TeamAdmin && role != TeamMember {
		return &InvalidError{"role", "must be owner, admin or member"}
	}
	now := i.now()
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := upsertTeamMember(ctx, tx, teamID, userID, role, now); err != nil {
			return err
		}
		return i.trail.After(ctx, tx, keepOwner(ctx, tx, teamID), audittrail.Act{
			Action: "team.member.add", TeamID: teamID, UserID: userID, Detail: "as " + string(role),
		})
	})
}

// RemoveTeamMember ends a membership and, in the same transaction, every
// credential the user held for that team.
func (i *Identity) RemoveTeamMember(ctx context.Context, teamID, userID int64) error {
	now := i.now()
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := orNotChanged(deleteTeamMember(ctx, tx, teamID, userID))("team member", userID); err != nil {
			return err
		}
		if err := keepOwner(ctx, tx, teamID); err != nil {
			return err
		}
		tx.OnCommit(i.forgetAll)
		act := audittrail.Act{Action: "team.member.remove", TeamID: teamID, UserID: userID}
		err := i.TeamLeave.After(ctx, tx, revokeTeamCredentials(ctx, tx, teamID, userID, now), teamID, userID)
		return i.trail.After(ctx, tx, err, act)
	})
}

// RecordTeamAccess notes that the user used the team. It costs no write; the time is
// written with the next flush.
func (i *Identity) RecordTeamAccess(teamID, userID int64) {
	i.lastUsed.members.Note(memberKey{teamID, userID}, i.clock.Now())
}

func keepOwner(ctx context.Context, tx *database.Tx, teamID int64) error {
	n, err := countTeamOwners(ctx, tx, teamID)
	if err == nil && n == 0 {
		return ErrLastOwner
	}
	return err
}
