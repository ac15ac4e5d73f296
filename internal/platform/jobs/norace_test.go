//go:build !race

package jobs

const crowdSize = 2000
