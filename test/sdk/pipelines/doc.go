// Package pipelines drives the pipeline service of the true binary with an
// unmodified npm circleci-api and Python's circleclient, and reads its EDN answers
// with npm edn-data. It is a module of its own, so that the product does not depend
// on the clients it is tested with.
package pipelines
