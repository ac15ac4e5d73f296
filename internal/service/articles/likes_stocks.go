package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// like likes an item; checkLike is not found unless the caller does.
func (s Scope) like(ctx context.Context, id string) error { return s.setOnItem(ctx, likes(), id, true) }

func (s Scope) unlike(ctx context.Context, id string) error {
	return s.setOnItem(ctx, likes(), id, false)
}

func (s Scope) checkLike(ctx context.Context, id string) error {
	return s.checkOnItem(ctx, likes(), id)
}

// setOnItem likes or stocks an item that the caller may see, or takes it back.
func (s Scope) setOnItem(ctx context.Context, r relation, id string, on bool) error {
	now := s.now()
	return s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.visibleItem(ctx, tx, id)
		if err != nil {
			return err
		}
		s.cache.ForgetItems(tx, i.Number)
		_, err = setRelation(ctx, tx, r, i.Number, s.userID(), on, now)
		return err
	})
}

func (s Scope) checkOnItem(ctx context.Context, r relation, id string) error {
	i, err := s.visibleItem(ctx, s.world.DB, id)
	if err != nil {
		return err
	}
	return checkRelation(ctx, s.world.DB, r, i.Number, s.userID())
}

// Likes lists who likes an item.
func (s Scope) Likes(ctx context.Context, id string, p page.Numbers) ([]Like, int64, error) {
	i, err := s.visibleItem(ctx, s.world.DB, id)
	if err != nil {
		return nil, 0, err
	}
	return authored(listLikes(ctx, s.world.DB, i.Number, p))(ctx, s)
}

// stock keeps an item for later; checkStock is not found unless the caller did.
func (s Scope) stock(ctx context.Context, id string) error {
	return s.setOnItem(ctx, stocks(), id, true)
}

func (s Scope) unstock(ctx context.Context, id string) error {
	return s.setOnItem(ctx, stocks(), id, false)
}

func (s Scope) checkStock(ctx context.Context, id string) error {
	return s.checkOnItem(ctx, stocks(), id)
}

// Stockers lists who stocked an item.
func (s Scope) Stockers(ctx context.Context, id string, p page.Numbers) ([]author, int64, error) {
	i, err := s.visibleItem(ctx, s.world.DB, id)
	if err != nil {
		return nil, 0, err
	}
	return authored(listRelatedUsers(ctx, s.world.DB, stocks(), i.Number, p))(ctx, s)
}

// UserStocks lists the items that a user stocked, by number.
func (s Scope) UserStocks(ctx context.Context, name string, p page.Numbers) ([]int64, int64, error) {
	return s.listByUser(ctx, name, p, listStockedItems)
}
