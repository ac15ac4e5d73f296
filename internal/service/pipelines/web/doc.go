// Package web serves what browsers see of the service: pages of projects and jobs, the events of a running job, badges,
// CCTray feeds, and the downloads that pages and API have in common.
//
// A page's path begins with the short word of a code host (package vcs). A project's page with .svg is its badge; with
// .cc.xml, and at /cc.xml for all projects that a user follows, there are feeds. Pages have an error envelope of their
// own.
package web
