// Package npm resolves npm packages as npm 7 and later does for a project that
// needs one of them: a tree of node_modules folders in which each package stands
// as high as those that need it allow, with peer dependencies beside what needs
// them, aliases, bundled packages, and optional packages for this platform only.
//
// Where peers exclude each other npm warns and goes on; so does this.
//
// The package owns npm's rules. It does not fetch, store or serve.
package npm
