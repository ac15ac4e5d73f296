package passwords

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A stored hash is read as it was written, or refused.
func FuzzPasswordHash(f *testing.F) {
	cost := Options{MemoryKiB: 64, Passes: 1, Threads: 1}
	fuzztest.Strings(f,
		encode(cost, []byte("salt"), []byte("sum")), "", "$argon2id$v=19$m=1,t=0,p=0$$",
		"$argon2id$v=19$m=-1,t=1,p=999$YQ$YQ",
	)
	f.Fuzz(func(t *testing.T, phc string) {
		cost, salt, sum, err := decode(phc)
		if err != nil {
			if !errors.Is(err, errHash) {
				t.Errorf("got %v", err)
			}
			return
		}
		again, salt2, sum2, err := decode(encode(cost, salt, sum))
		if err != nil || again != cost || string(salt2) != string(salt) || string(sum2) != string(sum) {
			t.Errorf("%q is read as %+v %x %x, then %+v %x %x, %v", phc, cost, salt, sum, again, salt2, sum2, err)
		}
	})
}
