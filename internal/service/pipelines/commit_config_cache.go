package pipelines

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/memo"
)

// source is what a commit says about its jobs. It never changes.
type source struct {
	commit forge.Commit
	config string
	// file is the name of the configuration.
	file string
}

type sourceKey struct {
	repoID int64
	sha    string
}

// sourceMemory bounds what is cached of commits that were built from lately, so that running one again takes no git.
const sourceMemory = 8 << 20

func newSourceCache() *memo.Cache[sourceKey, source] {
	return memo.New(sourceMemory, func(k sourceKey, s source) int {
		return len(k.sha) + len(s.config) + len(s.commit.Message) + 256
	})
}
