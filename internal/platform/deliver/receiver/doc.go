// Package receiver names who gets messages: what is bounded for one receiver is bounded however its address is written.
package receiver
