package scan

import (
	"iter"
	"runtime"
	"slices"
	"sync"
)

// What is looked at together: little first, because what is looked for is mostly near
// the beginning, then enough for several cores.
const firstBatch, laterBatches = 256, 16_384

// Matching are the values of a list that match, in their order. match is called by
// several goroutines, and for values beyond the last that is asked for.
func Matching[V any](list iter.Seq[V], match func(V) bool) iter.Seq[V] {
	return func(yield func(V) bool) {
		for batch := range batches(list) {
			for _, v := range matching(batch, match) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

func batches[V any](list iter.Seq[V]) iter.Seq[[]V] {
	return func(yield func([]V) bool) {
		size := firstBatch
		var batch []V
		for v := range list {
			if batch = append(batch, v); len(batch) < size {
				continue
			}
			if !yield(batch) {
				return
			}
			size, batch = laterBatches, batch[:0]
		}
		yield(batch)
	}
}

func matching[V any](batch []V, match func(V) bool) []V {
	if len(batch) <= firstBatch {
		return filter(batch, match)
	}
	found := make([][]V, runtime.GOMAXPROCS(0))
	share := (len(batch) + len(found) - 1) / len(found)
	var work sync.WaitGroup
	for i := range found {
		work.Go(func() { found[i] = filter(batch[min(i*share, len(batch)):min((i+1)*share, len(batch))], match) })
	}
	work.Wait()
	return slices.Concat(found...)
}

func filter[V any](list []V, match func(V) bool) (found []V) {
	for _, v := range list {
		if match(v) {
			found = append(found, v)
		}
	}
	return found
}
