// Package pypi resolves Python distributions as pip does: one version of each
// name in an environment, chosen by pip's own algorithm (that of the library
// resolvelib, with pip's order of preference), for one version of Python on
// 64-bit Linux with the GNU C library.
//
// A version is a candidate if the index has a wheel for that environment or a
// source distribution and its Requires-Python admits the Python version.
// Versions and specifiers follow PEP 440, markers PEP 508, extras PEP 685, file
// tags PEP 425 and 600, yanked versions PEP 592.
//
// The package owns PyPI's rules. It does not fetch, store or serve.
package pypi
