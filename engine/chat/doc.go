// Package chat lets a model call functions and answer in a given format, with a
// prompt and a grammar alone: its weights need no special training for either.
//
// A ResponseFormat says what an answer may be. Apply writes the grammar that holds the
// model to it, and gives the words that explain it: a grammar keeps the form,
// but the words make the sense. A Reader finds the call in the answer.
package chat
