package articles

import "context"

type commentRequest struct {
	Body string `json:"body"`
}

func (s *Service) commentsToWire(ctx context.Context, list []Comment) (encoded, error) {
	ids := make([]int64, len(list))
	for n, c := range list {
		ids[n] = c.UserID
	}
	users, err := s.portraits(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := encoded{'['}
	for _, c := range list {
		out = appendTextMember(append(separate(out), '{'), "body", c.Body)
		out = appendTimeMember(out, "created_at", c.CreatedAt)
		out = appendTextMember(out, "id", c.ID)
		out = appendTextMember(out, "rendered_body", c.Rendered)
		out = appendTimeMember(out, "updated_at", c.UpdatedAt)
		out = append(append(appendMember(out, "user"), users[c.UserID].text...), '}')
	}
	return append(out, ']'), nil
}
