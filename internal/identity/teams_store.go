package identity

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const teamColumns = `t.id, t.name, t.title, t.sso_only, t.active, t.created_at`

func scanTeam(s database.Scanner) (t Team, err error) {
	return t, s.Scan(&t.ID, &t.Name, &t.Title, &t.SSOOnly, &t.Active, database.ScanTime(&t.CreatedAt))
}

func insertTeam(ctx context.Context, q database.Querier, t Team) (int64, error) {
	var id int64
	err := q.QueryRow(ctx, `INSERT INTO identity_teams (name, title, sso_only, active, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`,
		t.Name, t.Title, t.SSOOnly, t.Active, database.Time(t.CreatedAt)).Scan(&id)
	if errors.Is(err, database.ErrNotFound) {
		return 0, &TakenError{"team", t.Name}
	}
	return id, err
}

func teamByID(ctx context.Context, q database.Querier, id int64) (Team, error) {
	return database.One(ctx, q, scanTeam, `SELECT `+teamColumns+` FROM identity_teams t WHERE t.id = $1`, id)
}

func teamByName(ctx context.Context, q database.Querier, name string) (Team, error) {
	return database.One(ctx, q, scanTeam, `SELECT `+teamColumns+` FROM identity_teams t WHERE t.name = $1`, Fold(name))
}

func teamsAfter(ctx context.Context, q database.Querier, name string, limit int) ([]Team, error) {
	return database.All(ctx, q, scanTeam, `SELECT `+teamColumns+` FROM identity_teams t
		WHERE t.name > $1 ORDER BY t.name LIMIT $2`, name, noLimit(limit))
}

func updateTeam(ctx context.Context, q database.Querier, t Team) error {
	_, err := q.Exec(ctx, `UPDATE identity_teams SET title = $1, sso_only = $2, active = $3 WHERE id = $4`,
		t.Title, t.SSOOnly, t.Active, t.ID)
	return err
}

func teamsOf(ctx context.Context, q database.Querier, userID int64) ([]Team, error) {
	return database.All(ctx, q, scanTeam, `SELECT `+teamColumns+` FROM identity_teams t
		JOIN identity_team_members m ON m.team_id = t.id WHERE m.user_id = $1 ORDER BY t.created_at DESC, t.id DESC`, userID)
}

func upsertTeamMember(
	ctx context.Context, q database.Querier, teamID, userID int64, role TeamRole, now time.Time,
) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_team_members (team_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (team_id, user_id) DO UPDATE SET role = excluded.role`, teamID, userID, string(role), database.Time(now))
	return orMissing(err, "team", strconv.FormatInt(teamID, 10))
}

func deleteTeamMember(ctx context.Context, q database.Querier, teamID, userID int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_team_members WHERE team_id = $1 AND user_id = $2`, teamID, userID)
	return r.RowsAffected, err
}

func countTeamOwners(ctx context.Context, q database.Querier, teamID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM identity_team_members WHERE team_id = $1 AND role = 'owner'`,
		teamID).Scan(&n)
	return n, err
}

func countTeamMembers(ctx context.Context, q database.Querier, teamID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM identity_team_members WHERE team_id = $1`, teamID).Scan(&n)
	return n, err
}

const teamMembershipFrom = `SELECT ` + userColumns + `, m.team_id, m.role, m.joined_at, m.last_access
	FROM identity_team_members m JOIN identity_users u ON u.id = m.user_id WHERE m.team_id = $1 `

func scanTeamMembership(s database.Scanner) (m TeamMembership, err error) {
	var role string
	err = s.Scan(append(userFields(&m.User), &m.TeamID, &role,
		database.ScanTime(&m.JoinedAt), database.ScanNullTime(&m.LastAccess))...)
	m.Role = TeamRole(role)
	return m, err
}

func teamMembers(ctx context.Context, q database.Querier, teamID int64, offset, limit int) ([]TeamMembership, error) {
	return database.All(ctx, q, scanTeamMembership,
		teamMembershipFrom+`ORDER BY m.joined_at, m.user_id LIMIT $2 OFFSET $3`,
		teamID, noLimit(limit), int64(max(0, offset)))
}

func teamMember(ctx context.Context, q database.Querier, teamID, userID int64) (TeamMembership, error) {
	return database.One(ctx, q, scanTeamMembership, teamMembershipFrom+`AND m.user_id = $2`, teamID, userID)
}

func updateLastAccess(ctx context.Context, q database.Querier, v memberKey, at time.Time) error {
	_, err := q.Exec(ctx, `UPDATE identity_team_members SET last_access = $1
		WHERE team_id = $2 AND user_id = $3 AND (last_access IS NULL OR last_access < $1)`,
		database.Time(at), v.teamID, v.userID)
	return err
}
