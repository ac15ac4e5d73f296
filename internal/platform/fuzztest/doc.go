// Package fuzztest gives fuzz targets more than their seeds in every test run.
//
// `go test` alone runs a target on its seeds and on what is committed in its
// testdata. Strings, Bytes and Add add a bounded number of mutations of each seed, the
// same in every run, so that `make test` looks around the known inputs as well;
// `make fuzz` searches for as long as it is told.
package fuzztest
