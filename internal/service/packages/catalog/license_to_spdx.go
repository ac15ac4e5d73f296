package catalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
)

// NonStandard stands where a license has no SPDX identifier.
const NonStandard = "non-standard"

// maxLicense bounds what is read as a license name. Longer text is a license
// body that was pasted into the field.
const maxLicense = 300

// NewLicense reads one declared license. Nothing comes back for text that
// says nothing, such as an empty field or "UNKNOWN".
func NewLicense(written string) (License, bool) {
	written = strings.TrimSpace(written)
	switch strings.ToLower(written) {
	case "", "unknown", "none", "null", "n/a":
		return License{}, false
	}
	if len(written) > maxLicense {
		return License{Written: written[:strings.LastIndexFunc(written[:maxLicense], isBoundary)+1], SPDX: NonStandard}, true
	}
	return License{Written: written, SPDX: spdx(written)}, true
}

func isBoundary(r rune) bool { return r < 0x80 }

// Licenses reads several declared licenses, dropping doubles.
func Licenses(written ...string) []License {
	var list []License
	for _, w := range written {
		if l, ok := NewLicense(w); ok && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// spdx turns a license as publishers write it into an SPDX expression. The list of
// identifiers and the grammar are the library's; the table below holds the
// names that registries are full of and SPDX does not know.
func spdx(written string) string {
	if expression, ok := normalized(written); ok {
		return expression
	}
	// Cargo once separated alternatives with a slash.
	if strings.Contains(written, "/") {
		if expression, ok := normalized(strings.ReplaceAll(written, "/", " OR ")); ok {
			return expression
		}
	}
	if id := licenseByName(plainName(written)); id != "" {
		return id
	}
	if id := licenseByURL(written); id != "" {
		return id
	}
	return NonStandard
}

func normalized(expression string) (string, bool) {
	valid, err := guarded(func() ([]string, error) {
		valid, _ := spdxexp.ValidateAndNormalizeLicensesWithOptions([]string{expression},
			spdxexp.ValidateLicensesOptions{FailAllLicenseRefs: true, FailAllDocumentRefs: true})
		return valid, nil
	})
	if err != nil || len(valid) != 1 || strings.Contains(valid[0], "LicenseRef") {
		return "", false
	}
	return valid[0], true
}

var noise = regexp.MustCompile(`(?i)\b(the|license|licence|licenses|version|software|public|general|gnu|v)\b|[^a-z0-9.+]+`)

// plainName reduces a license name to the words that tell licenses apart.
func plainName(written string) string {
	name := strings.ToLower(written)
	if i := strings.LastIndex(name, "::"); i >= 0 {
		// A Python classifier: the last part names the license.
		name = name[i+2:]
	}
	if i := strings.IndexByte(name, '('); i > 0 && strings.HasSuffix(strings.TrimSpace(name), ")") {
		name = name[:i]
	}
	name = versionLetter.ReplaceAllString(name, " $1")
	return strings.Join(strings.Fields(noise.ReplaceAllString(name, " ")), " ")
}

var versionLetter = regexp.MustCompile(`\bv\.?\s*([0-9])`)

// licenseNames maps plain names to identifiers, one a line. A name without a
// version stands here only where one license alone is called so; "BSD" and
// "GPL" do not. It is text, not a map, so that nothing can change it.
const licenseNames = `
apache=Apache-2.0
apache 2=Apache-2.0
apache 2.0=Apache-2.0
apache2=Apache-2.0
apache2.0=Apache-2.0
asl 2.0=Apache-2.0
al 2.0=Apache-2.0
apache foundation 2.0=Apache-2.0
mit=MIT
expat=MIT
mit x11=MIT
isc=ISC
iscl=ISC
isc iscl=ISC
bsd 2 clause=BSD-2-Clause
2 clause bsd=BSD-2-Clause
simplified bsd=BSD-2-Clause
freebsd=BSD-2-Clause
bsd 3 clause=BSD-3-Clause
3 clause bsd=BSD-3-Clause
new bsd=BSD-3-Clause
modified bsd=BSD-3-Clause
revised bsd=BSD-3-Clause
edl 1.0=BSD-3-Clause
eclipse distribution 1.0=BSD-3-Clause
bsd 0 clause=0BSD
lgpl 2.1=LGPL-2.1-only
lesser 2.1=LGPL-2.1-only
lgpl 3=LGPL-3.0-only
lgpl 3.0=LGPL-3.0-only
lesser 3=LGPL-3.0-only
lesser 3.0=LGPL-3.0-only
lesser 3 or later=LGPL-3.0-or-later
lesser 2.1 or later=LGPL-2.1-or-later
gpl 2=GPL-2.0-only
gpl 2.0=GPL-2.0-only
gpl 3=GPL-3.0-only
gpl 3.0=GPL-3.0-only
gplv2=GPL-2.0-only
gplv3=GPL-3.0-only
gpl 2+=GPL-2.0-or-later
gpl 3+=GPL-3.0-or-later
gplv2+=GPL-2.0-or-later
gplv3+=GPL-3.0-or-later
agpl 3=AGPL-3.0-only
agpl 3.0=AGPL-3.0-only
affero 3=AGPL-3.0-only
mpl 1.1=MPL-1.1
mozilla 1.1=MPL-1.1
mpl 2.0=MPL-2.0
mozilla 2.0=MPL-2.0
epl 1.0=EPL-1.0
eclipse 1.0=EPL-1.0
epl 2.0=EPL-2.0
eclipse 2.0=EPL-2.0
eclipse 2=EPL-2.0
cddl 1.0=CDDL-1.0
cddl 1.1=CDDL-1.1
common development and distribution 1.0=CDDL-1.0
common 1.0=CPL-1.0
cc0 1.0 universal=CC0-1.0
cc0=CC0-1.0
unlicense=Unlicense
boost 1.0=BSL-1.0
zlib=Zlib
zlib libpng=Zlib
ruby=Ruby
python foundation=PSF-2.0
psf=PSF-2.0
psf 2.0=PSF-2.0
artistic 2.0=Artistic-2.0
wtfpl=WTFPL
zpl 2.1=ZPL-2.1
zope=ZPL-2.1
bouncy castle=MIT
go=BSD-3-Clause
postgresql=PostgreSQL
`

// licenseByName finds the identifier of a plain name.
func licenseByName(plain string) string {
	_, rest, found := strings.Cut(licenseNames, "\n"+plain+"=")
	if !found || plain == "" {
		return ""
	}
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

// licenseByURL knows licenses that are only pointed at.
func licenseByURL(written string) string {
	link := strings.ToLower(strings.TrimSuffix(written, "/"))
	if !strings.Contains(link, "://") {
		return ""
	}
	for _, known := range []struct{ part, id string }{
		{"apache.org/licenses/license-2.0", "Apache-2.0"},
		{"opensource.org/licenses/mit", "MIT"},
		{"opensource.org/license/mit", "MIT"},
		{"opensource.org/licenses/apache-2.0", "Apache-2.0"},
		{"opensource.org/licenses/bsd-3-clause", "BSD-3-Clause"},
		{"opensource.org/licenses/bsd-2-clause", "BSD-2-Clause"},
		{"eclipse.org/legal/epl-v10", "EPL-1.0"},
		{"eclipse.org/legal/epl-2.0", "EPL-2.0"},
		{"mozilla.org/mpl/2.0", "MPL-2.0"},
		{"gnu.org/licenses/lgpl-2.1", "LGPL-2.1-only"},
		{"gnu.org/licenses/gpl-3.0", "GPL-3.0-only"},
	} {
		if strings.Contains(link, known.part) {
			return known.id
		}
	}
	return ""
}
