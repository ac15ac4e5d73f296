package pipelines

import (
	"stoa.dev/stoa/internal/platform/dialect"
)

// vcs is one of the two code-hosting systems of the contract. The forge is
// both: a project can be addressed as either, and answers use the word of the
// request.
type vcs uint8

const (
	vcsA vcs = iota
	vcsB
)

// words are the spellings of the dialect, looked up once.
type words struct {
	sdk bool
	// kinds, shorts and hosts are by vcs.
	kinds, shorts, hosts [2]string
	configFiles          []string
	// environment stands before the names of built-in variables.
	environment, mark                   string
	jobParameters, agents               []string
	tokenHeaders, tokenQueries          []string
	configMember, codeHostID            string
	userKey, setStatus                  string
	userKeys, setStatuses               []string
	hookEvent, hookSignature, hookAgent string
	vcsNames                            [2][]string
	shortNames                          [2][]string
}

func newWords(d *dialect.Dialect) words {
	return words{
		sdk:         d.SDK(),
		kinds:       [2]string{d.Says(dialect.VCSAType), d.Says(dialect.VCSBType)},
		shorts:      [2]string{d.Says(dialect.VCSAShort), d.Says(dialect.VCSBShort)},
		hosts:       [2]string{d.Says(dialect.VCSAHost), d.Says(dialect.VCSBHost)},
		vcsNames:    [2][]string{d.Accepts(dialect.VCSA), d.Accepts(dialect.VCSB)},
		shortNames:  [2][]string{d.Accepts(dialect.VCSAShort), d.Accepts(dialect.VCSBShort)},
		configFiles: d.Accepts(dialect.ConfigFile), environment: d.Says(dialect.JobEnvironment), mark: d.Says(dialect.JobEnvironmentMark),
		jobParameters: d.Accepts(dialect.JobParameter), agents: d.Accepts(dialect.AgentProgram),
		tokenHeaders: d.Accepts(dialect.PipelineToken), tokenQueries: d.Accepts(dialect.PipelineTokenQuery),
		configMember: d.Says(dialect.PipelineYML), codeHostID: d.Says(dialect.CodeHostID),
		userKey: d.Says(dialect.UserKeyType), setStatus: d.Says(dialect.SetStatusFlag),
		userKeys: d.Accepts(dialect.UserKeyType), setStatuses: d.Accepts(dialect.SetStatusFlag),
		hookEvent: d.Says(dialect.PipelineEventType), hookSignature: d.Says(dialect.PipelineSignature), hookAgent: d.Says(dialect.PipelineHookAgent),
	}
}
