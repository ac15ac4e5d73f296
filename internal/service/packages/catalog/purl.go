package catalog

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/package-url/packageurl-go"
)

// MaxPurl bounds a package URL before it is parsed.
const MaxPurl = 2048

// Why a package URL is refused.
var (
	ErrPurlQualifiers = errors.New("qualifiers must be empty")
	ErrPurlSubpath    = errors.New("the subpath must be empty")
	ErrPurlType       = errors.New("the type is not one of cargo, gem, golang, maven, npm, nuget, pypi")
)

// ParsePurl reads a package URL. Version is empty when the purl has none. The
// library decides what is well-formed; for Go the namespace and name are then
// read again without its folding to lower case, since module paths are
// case-sensitive.
func ParsePurl(text string) (VersionKey, error) {
	if len(text) > MaxPurl {
		return VersionKey{}, fmt.Errorf("longer than %d bytes", MaxPurl)
	}
	p, err := guarded(func() (packageurl.PackageURL, error) { return packageurl.FromString(text) })
	if err != nil {
		return VersionKey{}, err
	}
	if len(p.Qualifiers) > 0 || strings.Contains(text, "?") {
		return VersionKey{}, ErrPurlQualifiers
	}
	if p.Subpath != "" || strings.Contains(text, "#") {
		return VersionKey{}, ErrPurlSubpath
	}
	key, err := purlKey(p, text)
	if err != nil {
		return VersionKey{}, err
	}
	if err := key.Package().Check(); err != nil {
		return VersionKey{}, err
	}
	return key, nil
}

func purlKey(p packageurl.PackageURL, text string) (VersionKey, error) {
	key := VersionKey{Name: p.Name, Version: p.Version}
	switch p.Type {
	case packageurl.TypeCargo:
		key.System = Cargo
	case packageurl.TypeGem:
		key.System = RubyGems
	case packageurl.TypePyPi:
		key.System = PyPI
	case packageurl.TypeNuget:
		key.System = NuGet
	case packageurl.TypeNPM:
		key.System, key.Name = NPM, joinName(p.Namespace, "/", p.Name)
	case packageurl.TypeGolang:
		key.System, key.Name = Go, exactCase(joinName(p.Namespace, "/", p.Name), text)
	case packageurl.TypeMaven:
		if p.Namespace == "" {
			return VersionKey{}, errors.New("a maven purl needs the group as its namespace")
		}
		key.System, key.Name = Maven, p.Namespace+":"+p.Name
		return key, nil
	default:
		return VersionKey{}, ErrPurlType
	}
	if p.Namespace != "" && key.System != NPM && key.System != Go {
		return VersionKey{}, fmt.Errorf("a %s purl has no namespace", p.Type)
	}
	return key, nil
}

func joinName(namespace, separator, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + separator + name
}

// exactCase reads the name behind the purl's type again, without folding it.
// Should the two differ in more than letter case, the library's word counts.
func exactCase(folded, text string) string {
	_, name, _ := strings.Cut(text, ":")
	_, name, _ = strings.Cut(strings.TrimLeft(name, "/"), "/")
	name, _, _ = strings.Cut(name, "@")
	plain, err := url.PathUnescape(strings.Trim(name, "/"))
	if err == nil && strings.EqualFold(plain, folded) {
		return plain
	}
	return folded
}

// Purl is the package URL of the package.
func (k PackageKey) Purl() string { return k.At("").Purl() }

// Purl is the package URL of the version. Go names keep their letter case,
// without which the purl could not be looked up again.
func (k VersionKey) Purl() string {
	var b strings.Builder
	b.Grow(len(k.Name) + len(k.Version) + 16)
	b.WriteString("pkg:")
	switch k.System {
	case Cargo:
		b.WriteString("cargo/")
	case RubyGems:
		b.WriteString("gem/")
	case PyPI:
		b.WriteString("pypi/")
	case NuGet:
		b.WriteString("nuget/")
	case NPM:
		b.WriteString("npm/")
	case Go:
		b.WriteString("golang/")
	case Maven:
		b.WriteString("maven/")
	}
	for _, r := range []byte(k.Name) {
		switch {
		case r == ':' && k.System == Maven:
			b.WriteByte('/')
		case r == '/':
			b.WriteByte('/')
		default:
			escape(&b, r)
		}
	}
	if k.Version != "" {
		b.WriteByte('@')
		for _, r := range []byte(k.Version) {
			escape(&b, r)
		}
	}
	return b.String()
}

// escape writes a byte of a purl component by the purl rules: letters,
// digits, "-", ".", "_", "~" and ":" stand for themselves.
func escape(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
		c == '-', c == '.', c == '_', c == '~', c == ':':
		b.WriteByte(c)
	default:
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
}
