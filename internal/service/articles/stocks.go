package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/page"
)

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
