package articles

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/pictures"
)

func userToWire(u *User) json.RawMessage { return u.json }

func authorToWire(a author) json.RawMessage { return a.User.json }

// encodeUser encodes a User of the contract, with addresses that begin with base.
func (s *Service) encodeUser(base string, u User) *User {
	var b wire.Builder
	s.writeUser(b.Object(), base, u)
	u.json = b.End().Bytes()
	return &u
}

// addItems is an encoded user with more items. Every new item of an author comes here, one after the other, so only
// the number is written anew.
func addItems(u *User, by int64) *User {
	const member = `"items_count":` // in no text, where a quote is escaped
	at := bytes.Index(u.json, []byte(member)) + len(member)
	rest := u.json[at+len(strconv.FormatInt(u.Items, 10)):]
	counted := *u
	counted.Items += by
	counted.json = append(strconv.AppendInt(slices.Clip(u.json[:at]), counted.Items, 10), rest...)
	return &counted
}

// writeUser writes the sixteen members of a User, four of which are spelt by the
// dialect. A user's id is the user's name; the number is permanent.
func (s *Service) writeUser(b *wire.Builder, base string, u User) {
	s.profiles.Write(b, u.Profile)
	b.Key("name").Text(u.DisplayName)
	b.Key("followees_count").Int(u.Followees)
	b.Key("followers_count").Int(u.Followers)
	b.Key("items_count").Int(u.Items)
	b.Key("permanent_id").Int(u.ID)
	b.Key("id").Text(u.Name)
	b.Key("profile_image_url").Text(base + pictures.UserPath(u.ID))
	b.Key("team_only").Bool(false)
}

func (s *Service) authenticatedUserToWire(base string, u AuthenticatedUser) []byte {
	var b wire.Builder
	s.writeUser(b.Object(), base, u.User)
	b.Key("image_monthly_upload_limit").Int(u.UploadLimit)
	b.Key("image_monthly_upload_remaining").Int(u.UploadRemaining)
	return b.End().Bytes()
}
