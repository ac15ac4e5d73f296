package kms

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

// verify opens every local key that is not destroyed: what was encrypted under one must be
// decrypted for as long as the key is there.
func (s *Service) verify(ctx context.Context, report func(module.Damage)) (looked int, err error) {
	keys, err := listKeys(ctx, s.world.DB)
	if err != nil {
		return 0, err
	}
	for _, k := range keys {
		if !k.DestroyedAt.IsZero() || len(k.Material) == 0 {
			continue // nothing to open, or the key lies with an outside key service
		}
		looked++
		if _, err := s.openMaterial(k); err != nil {
			report(module.Damage{What: "key " + k.ID, Detail: err.Error(),
				Advice: "start with the root key that it was sealed under; without it what it encrypted is lost"})
		}
	}
	return looked, nil
}
