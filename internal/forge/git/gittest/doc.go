// Package gittest writes packs as git clients send them, good ones and such that
// stand for far more than their size.
package gittest
