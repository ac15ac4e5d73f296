package articles

import "testing"

// TestAddItems: the number is changed where it stands, whatever its length, and nothing else is.
func TestAddItems(t *testing.T) {
	t.Parallel()
	const begin, end = `{"description":",\"items_count\":9,","followers_count":9,"items_count":`, `,"id":"ada"}`
	for _, row := range []struct {
		items, by int64
		want      string
	}{{9, 1, "10"}, {10, -1, "9"}, {0, 1, "1"}, {99, 901, "1000"}} {
		u := &User{Items: row.items}
		u.json = []byte(begin + map[int64]string{9: "9", 10: "10", 0: "0", 99: "99"}[row.items] + end)
		before := string(u.json)
		got := addItems(u, row.by)
		if string(got.json) != begin+row.want+end || got.Items != row.items+row.by {
			t.Errorf("%d and %d: %s", row.items, row.by, got.json)
		}
		if string(u.json) != before || u.Items != row.items {
			t.Errorf("the user that was kept became %s", u.json)
		}
	}
}
