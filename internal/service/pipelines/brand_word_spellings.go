package pipelines

import "stoa.dev/stoa/internal/platform/dialect"

// words are the spellings of the server's dialect, looked up once.
type words struct {
	configFiles                         []string
	jobParameters                       []string
	tokenHeaders, tokenQueries          []string
	configMember, codeHostID            string
	userKey, setStatus                  string
	userKeys, setStatuses               []string
	hookEvent, hookSignature, hookAgent string
}

func newWords(d *dialect.Dialect) words {
	return words{
		configFiles:   d.Accepts(dialect.ConfigFile),
		jobParameters: d.Accepts(dialect.JobParameter),
		tokenHeaders:  d.Accepts(dialect.PipelineToken), tokenQueries: d.Accepts(dialect.PipelineTokenQuery),
		configMember: d.Says(dialect.PipelineYML), codeHostID: d.Says(dialect.CodeHostID),
		userKey: d.Says(dialect.UserKeyType), setStatus: d.Says(dialect.SetStatusFlag),
		userKeys: d.Accepts(dialect.UserKeyType), setStatuses: d.Accepts(dialect.SetStatusFlag),
		hookEvent: d.Says(dialect.PipelineEventType), hookSignature: d.Says(dialect.PipelineSignature),
		hookAgent: d.Says(dialect.PipelineHookAgent),
	}
}
