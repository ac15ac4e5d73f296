// Package lab proves what the lab promises through its public interface alone:
// the addresses of its worlds, the control API and the program itself.
//
// Each time that services keep is waited for to its very end; many worlds are
// driven side by side and end without a trace; the process is killed in the
// middle of its work. The short forms run with all other tests, the long ones
// with `make lab`.
package lab
