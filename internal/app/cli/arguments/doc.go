// Package arguments checks what was typed after a command: its words, its flags and the
// commands below it. A refusal names what is missing or too much, and what was probably
// meant.
package arguments
