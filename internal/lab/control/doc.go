// Package control serves the lab's own API, /lab/v1: worlds, clocks, snapshots,
// exports, requests and expectations, for command line, kits and console.
//
// Every call needs the lab's token. The API is described in docs/lab.md and
// docs/openapi/lab.json; changing it needs an ADR.
package control
