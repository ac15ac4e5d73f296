// Package vcs names projects and jobs as the two code-hosting systems of the contract do.
//
// The forge is both of them: a project can be addressed as either, and an answer has the words and addresses of the
// system that its request named.
package vcs
