package articles

import "context"

func (s *Service) likesToWire(ctx context.Context, likes []Like) (encoded, error) {
	ids := make([]int64, len(likes))
	for n, l := range likes {
		ids[n] = l.UserID
	}
	users, err := s.portraits(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := encoded{'['}
	for _, l := range likes {
		out = appendTimeMember(append(separate(out), '{'), "created_at", l.CreatedAt)
		out = append(append(appendMember(out, "user"), users[l.UserID].text...), '}')
	}
	return append(out, ']'), nil
}
