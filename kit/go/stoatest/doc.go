// Package stoatest gives every test a world of its own: all services of Stoa with
// their own data, address, clock and faults, gone when the test ends.
//
//	func TestPoller(t *testing.T) {
//		t.Parallel()
//		world := stoatest.World(t, stoatest.At("2026-03-01T09:00:00Z"))
//		world.Faults.Add(stoatest.Fault{Operation: "list_repo_events", Deed: "secondary_rate_limit", First: 1})
//
//		poll(world.Events()) // the code under test, with its unmodified client
//
//		world.Clock.Advance(time.Hour)
//		world.Expect(stoatest.Calls("list_repo_events").AtLeast(2).NoCloserThan(time.Minute))
//		world.Conduct().MustBeClean(t)
//	}
//
// Nothing of one world is seen in another, so such tests can always run in parallel.
//
// # Clients
//
// [TestWorld.Tasks], [TestWorld.Calendar] and so on are the settings of a service's
// clients: the address that its SDK takes, the credential as a token, as headers, as an
// [http.Client] and as the variables that SDKs read.
//
// # Where the lab is
//
// The first world of a test process finds a lab: the one that STOA_LAB_URL and
// STOA_LAB_TOKEN name, or one that it starts with the program that STOA_BIN names or
// that is called stoa in the path. A lab that it started ends with the process. Where
// many packages are tested at once, one lab serves all: stoa exec -- go test ./...
//
// Whatever a lab refuses fails the test with the lab's own words, at the line of the
// test that asked.
package stoatest
