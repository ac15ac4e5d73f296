package report

import (
	"io"
	"slices"

	"stoa.dev/stoa/internal/platform/conduct"
)

// The members of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string      `json:"id"`
		Short         sarifText   `json:"shortDescription"`
		Full          sarifText   `json:"fullDescription"`
		Help          sarifText   `json:"help"`
		Configuration sarifConfig `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

func (d Document) writeSARIF(w io.Writer) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "stoa conduct", Version: d.Version}
	for _, rule := range d.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.ID, Short: sarifText{rule.Title}, Full: sarifText{rule.Why}, Help: sarifText{rule.Contract},
			Configuration: sarifConfig{level(rule.Severity)},
		})
	}
	for _, f := range d.Report.Findings {
		run.Results = append(run.Results, d.sarifResult(f))
	}
	for _, s := range d.Report.Silenced {
		if s.Finding.Count > 0 {
			result := d.sarifResult(s.Finding)
			result.Suppressions = []sarifSuppression{{Kind: "external", Justification: s.Reason}}
			run.Results = append(run.Results, result)
		}
	}
	return encode(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func (d Document) sarifResult(f conduct.Finding) sarifResult {
	result := sarifResult{
		RuleID: f.Rule.ID, Level: level(f.Rule.Severity), Message: sarifText{f.Message}, Locations: []sarifLocation{},
		RuleIndex: slices.IndexFunc(d.Rules, func(r conduct.Stated) bool { return r.ID == f.Rule.ID }),
	}
	for _, e := range d.evidence(f) {
		result.Locations = append(result.Locations, sarifLocation{
			Physical: sarifPhysical{sarifArtifact{"requests/" + e.ID}},
			Logical:  []sarifLogical{{Name: e.text(), Kind: "resource"}},
		})
	}
	return result
}

// level is the word of SARIF for a severity.
func level(s conduct.Severity) string {
	if s == conduct.Info {
		return "note"
	}
	return s.String()
}
