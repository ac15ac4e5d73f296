// Package demo fills a data folder with a demo world: two users, a team, clients,
// a credential for every service, and whatever each module adds. The addresses and
// secrets are written to demo.env in the folder.
//
// It knows no service: which credentials open a service is in the module that the
// service hands over.
package demo
