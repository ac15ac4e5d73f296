//go:build !small

package source

import "github.com/google/licensecheck"

// licenseCoverage is how much of a file must be known license text for the
// file to count as that license; the go command's package site uses the same.
const licenseCoverage = 75

// recognizeLicense names the licenses whose text a file is, and whether it is one.
func recognizeLicense(text []byte) (ids []string, known bool) {
	cover := licensecheck.Scan(text)
	if cover.Percent < licenseCoverage {
		return nil, false
	}
	for _, m := range cover.Match {
		ids = append(ids, m.ID)
	}
	return ids, true
}
