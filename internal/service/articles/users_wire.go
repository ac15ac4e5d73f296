package articles

import (
	"encoding/json"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/wire"
)

func userToWire(u *User) json.RawMessage { return u.json }

func authorToWire(a author) json.RawMessage { return a.User.json }

// encodeUser encodes a User of the contract.
func (s *Service) encodeUser(u User) *User {
	var b wire.Builder
	s.writeUser(b.Object(), u)
	u.json = b.End().Bytes()
	return &u
}

// writeUser writes the sixteen members of a User, four of which are spelt by the
// dialect. A user's id is the user's name; the number is permanent.
func (s *Service) writeUser(b *wire.Builder, u User) {
	d := s.world.Dialect
	for _, name := range []string{
		"description", d.Says(dialect.SocialAID), d.Says(dialect.SocialBID), d.Says(dialect.SocialCScreenName),
		d.Says(dialect.CodeHostLoginName), "location", "organization", "website_url",
	} {
		b.Key(name).Null()
	}
	b.Key("name").Text(u.DisplayName)
	b.Key("followees_count").Int(u.Followees)
	b.Key("followers_count").Int(u.Followers)
	b.Key("items_count").Int(u.Items)
	b.Key("permanent_id").Int(u.ID)
	b.Key("id").Text(u.Name)
	b.Key("profile_image_url").Text("")
	b.Key("team_only").Bool(false)
}

func (s *Service) authenticatedUserToWire(u AuthenticatedUser) []byte {
	var b wire.Builder
	s.writeUser(b.Object(), u.User)
	b.Key("image_monthly_upload_limit").Int(u.UploadLimit)
	b.Key("image_monthly_upload_remaining").Int(u.UploadRemaining)
	return b.End().Bytes()
}
