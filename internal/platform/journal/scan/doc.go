// Package scan looks through long lists with all cores.
package scan
