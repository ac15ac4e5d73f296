package sandbox

import "testing"

// TestWithin picks user ids that exist.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, idMap string
		from, count int
	}{
		{"the whole machine", "         0          0 4294967295\n", 788529152, 65536},
		{"no map", "", 788529152, 65536},
		{"a container of its own user", "0 1000 1\n1 100000 65536\n", 33268, 32268},
		{"a small container", "0 100000 65536\n", 33268, 32268},
		{"a large container", "0 100000 1000000\n", 500500, 65536},
		{"one user only", "0 1000 1\n", 788529152, 65536},
		{"garbage", "x\n", 788529152, 65536},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			from, count := within(tc.idMap, firstUser)
			if from != tc.from || count != tc.count {
				t.Errorf("within = %d, %d; want %d, %d", from, count, tc.from, tc.count)
			}
		})
	}
}
