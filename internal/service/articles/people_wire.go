package articles

import "stoa.dev/stoa/internal/platform/dialect"

// appendUser writes a User of the contract: sixteen members, four of which are
// spelt by the dialect. A user's id is the user's name; the number is permanent.
func (s *Service) appendUser(out []byte, u Person) []byte {
	return append(s.appendUserMembers(out, u), '}')
}

func (s *Service) appendUserMembers(out []byte, u Person) []byte {
	d := s.world.Dialect
	out = append(out, '{')
	for _, name := range []string{
		"description", d.Says(dialect.SocialAID), d.Says(dialect.SocialBID), d.Says(dialect.SocialCScreenName), d.Says(dialect.CodeHostLoginName),
		"location", "organization", "website_url",
	} {
		out = appendNullMember(out, name)
	}
	out = appendTextMember(out, "name", u.DisplayName)
	out = appendIntMember(out, "followees_count", u.Followees)
	out = appendIntMember(out, "followers_count", u.Followers)
	out = appendIntMember(out, "items_count", u.Items)
	out = appendIntMember(out, "permanent_id", u.ID)
	out = appendTextMember(out, "id", u.Name)
	out = appendTextMember(out, "profile_image_url", "")
	return appendBoolMember(out, "team_only", false)
}

func (s *Service) authenticatedUserToWire(u AuthenticatedUser) encoded {
	out := s.appendUserMembers(nil, u.Person)
	out = appendIntMember(out, "image_monthly_upload_limit", u.UploadLimit)
	return append(appendIntMember(out, "image_monthly_upload_remaining", u.UploadRemaining), '}')
}
