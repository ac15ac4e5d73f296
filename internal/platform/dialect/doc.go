// Package dialect owns the spelling of brand words.
//
// The contract writes brand words neutrally ("Pipeline-Token", "read_svc"); official clients spell the brand. No
// service holds such a word as a literal: it asks this package by a [Word] constant. In the neutral mode, the
// default, one spelling is accepted and answered. In the sdk mode the brand's spellings are accepted beside the
// neutral one, and answers use the brand's, which is what lets unmodified clients run.
//
// All spellings stand in one embedded file, words.tsv. Adding a word is one row there and one constant in
// word_constants.go, or none for a member or header that no code names.
//
// The package does not own words that both sides spell alike, host names that an operator configures, or any rule
// about what a word means.
package dialect
