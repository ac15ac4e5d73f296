// Package browser drives a real headless Chromium through the console of the built
// binary: sign-in, device approval and denial, consent, token creation, at
// a phone's and at a desktop's width.
//
// make browser leaves screenshots of every page, light and dark, in .cache/browser of the
// checkout. Without Chromium the tests are skipped, in CI they fail.
package browser
