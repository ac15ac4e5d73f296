package snapshots

import (
	"strconv"
	"testing"
)

// TestVersionsAreNotReused drops the owners' versions, as too many owners do, while a
// picture is drawn: what it was drawn from must not pass for what is stored since.
func TestVersionsAreNotReused(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		c := newRenderCache()
		owner := Tenant{Org: "owner", Own: own}
		c.forget(owner.Org)
		before := c.version(owner)
		for i := range maxOwners {
			c.forget(strconv.Itoa(i))
		}
		c.forget(owner.Org)
		c.put("digest", cachedRender{version: before, hash: "old"})
		if p, ok := c.get("digest", c.version(owner)); ok {
			t.Errorf("own %v: got %q, which was drawn before the owner stored more", own, p.hash)
		}
		now := c.version(owner)
		c.put("digest", cachedRender{version: now, hash: "new"})
		if p, ok := c.get("digest", c.version(owner)); !ok || p.hash != "new" {
			t.Errorf("own %v: got %q, %v, want what was drawn from the same data", own, p.hash, ok)
		}
		if !c.known("digest") || c.known("other") {
			t.Errorf("own %v: known = %v, %v", own, c.known("digest"), c.known("other"))
		}
	}
}
