// Package reference knows every setting with its meaning: name, type, default and
// environment variable come from the configuration struct, the meaning from the
// comment of the field.
//
// The comments are not in the binary, so settings/meanings.tsv holds them; the test of this
// package reads the source, writes that file and docs/settings.md anew with -update,
// and fails while either differs or a setting has no words.
package reference
