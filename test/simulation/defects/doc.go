// Command defects plants defects in the writer, jobs, limits, grants and deliveries,
// and counts those that the simulation finds.
//
// Each defect is one small change of a source file, behind a switch that the
// environment sets, so that one build with the compiler's overlay serves all. The
// simulation runs seeds until a promise breaks. A run without a defect must find
// nothing.
//
//	go run ./test/simulation/defects -write docs/reliability-defects.md
package main
