package articles

import (
	"stoa.dev/stoa/internal/platform/dialect"
)

// userToWire is a User of the contract: sixteen members, four of which are
// spelt by the dialect. A user's id is the user's name; the number is permanent.
func (s *Service) userToWire(u Person) map[string]any {
	d := s.world.Dialect
	return map[string]any{
		"description":                     nil,
		d.Says(dialect.SocialAID):         nil,
		d.Says(dialect.SocialBID):         nil,
		d.Says(dialect.SocialCScreenName): nil,
		d.Says(dialect.CodeHostLoginName): nil,
		"location":                        nil,
		"name":                            u.DisplayName,
		"organization":                    nil,
		"website_url":                     nil,
		"followees_count":                 0,
		"followers_count":                 0,
		"items_count":                     u.Items,
		"permanent_id":                    u.ID,
		"id":                              u.Name,
		"profile_image_url":               "",
		"team_only":                       false,
	}
}

func (s *Service) authenticatedUserToWire(u AuthenticatedUser) map[string]any {
	out := s.userToWire(u.Person)
	out["image_monthly_upload_limit"] = u.UploadLimit
	out["image_monthly_upload_remaining"] = u.UploadRemaining
	return out
}
