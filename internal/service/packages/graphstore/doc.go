// Package graphstore keeps resolved graphs, and which versions depend on which by them, while they are asked for.
package graphstore
