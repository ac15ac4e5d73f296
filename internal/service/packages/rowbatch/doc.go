// Package rowbatch writes many rows with few statements, whose texts are few enough to stay prepared.
package rowbatch
