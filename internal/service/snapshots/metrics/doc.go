// Package metrics keeps the points that graphs are drawn from.
//
// [Local] stores them with the Prometheus time-series engine, used as a library,
// in a folder of its own. It is opened by the first write or read, so a process
// that never sees a metric pays nothing for it.
//
// A write that returned nil has been written and flushed to disk: the engine
// appends to its log before it answers, and this package adds the flush that the
// engine leaves to segment changes. Concurrent writers share one flush.
//
// Points that come after a newer one of their series stay in the engine's memory and log until
// MoveLate writes them into blocks: after an import, and beside the writers when a million came.
// A store that is closed when all its points are in blocks leaves no log for the next start to read.
//
// A metric's tags become the engine's labels. A tag without a colon and a tag
// key with several values keep their meaning, see tag_labels.go. Distributions
// become native histograms of the finest resolution.
//
// Types of the engine do not leave this package.
package metrics
