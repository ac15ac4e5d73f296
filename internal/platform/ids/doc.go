// Package ids is the only source of randomness in the program.
//
// Every world owns one Source. Production worlds draw from the operating
// system; test and lab worlds may use a seeded source, so that the same seed,
// calls and clock give the same bytes. Nothing else imports
// crypto/rand or math/rand.
//
// The package makes identifiers and secrets; hashing and storing them belongs
// to identity and seal.
package ids
