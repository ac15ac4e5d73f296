// Command mutate plants faults in the services and asks whether their tests notice.
//
// A fault is one small change that a careless edit could make: a status becomes
// another one, a member of an answer is left empty, a check that refuses is
// skipped. A seeded sample of them, the same number for each service, is built
// into the service's packages by way of the compiler's overlay, each behind a
// switch, so that one build serves all faults. Then the service's own tests that
// run the changed package, and if these see nothing its conformance rows and its
// failures in the lab, run once per fault. A fault that fails no test is printed
// with its place.
//
//	go run ./test/mutate                     # 8 faults in each service
//	go run ./test/mutate -service tasks -n 40
package main
