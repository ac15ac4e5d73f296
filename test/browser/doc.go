// Package browser drives a real headless Chromium through the console of the built
// binary: sign-in, device approval and denial, consent, token creation, at
// a phone's and at a desktop's width.
//
// Screenshots of every page, light and dark, are left in .cache/browser of the
// checkout. Without Chromium the tests are skipped, in CI they fail.
package browser
