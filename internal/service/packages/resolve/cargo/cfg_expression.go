package cargo

import "strings"

// triple is the platform that is resolved for.
const triple = "x86_64-unknown-linux-gnu"

// maxCfgDepth bounds the parentheses of a condition.
const maxCfgDepth = 64

// onLinux reports whether a platform condition holds: empty, the name of a
// platform, or cfg(…). One that cannot be read does not hold.
func onLinux(target string) bool {
	inner, isCfg := strings.CutPrefix(strings.TrimSpace(target), "cfg(")
	if !isCfg {
		return target == "" || target == triple
	}
	inner, closed := strings.CutSuffix(inner, ")")
	p := &cfgParser{text: inner}
	value, ok := p.expression(0)
	p.space()
	return closed && ok && p.at == len(p.text) && value
}

type cfgParser struct {
	text string
	at   int
}

func (p *cfgParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *cfgParser) accept(c byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *cfgParser) word() string {
	p.space()
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] == '_' || p.text[p.at] >= '0' && p.text[p.at] <= '9' ||
		p.text[p.at]|32 >= 'a' && p.text[p.at]|32 <= 'z') {
		p.at++
	}
	return p.text[from:p.at]
}

func (p *cfgParser) expression(depth int) (value, ok bool) {
	name := p.word()
	if name == "" || depth > maxCfgDepth {
		return false, false
	}
	if p.accept('(') {
		return p.list(name, depth)
	}
	if !p.accept('=') {
		return flags(name), true
	}
	if !p.accept('"') {
		return false, false
	}
	end := strings.IndexByte(p.text[p.at:], '"')
	if end < 0 {
		return false, false
	}
	text := p.text[p.at : p.at+end]
	p.at += end + 1
	return values(name, text), true
}

// list evaluates all(…), any(…) and not(…).
func (p *cfgParser) list(name string, depth int) (value, ok bool) {
	every, some, n := true, false, 0
	for !p.accept(')') {
		one, ok := p.expression(depth + 1)
		if !ok {
			return false, false
		}
		every, some, n = every && one, some || one, n+1
		if !p.accept(',') {
			if !p.accept(')') {
				return false, false
			}
			break
		}
	}
	switch name {
	case "all":
		return every, true
	case "any":
		return some, true
	case "not":
		return !some, n == 1
	}
	return false, false
}

// flags are the conditions without a value that hold, as the compiler prints
// them.
func flags(name string) bool {
	switch name {
	case "unix", "debug_assertions", "true", "target_thread_local", "target_has_atomic":
		return true
	}
	return false
}

// values are the conditions with a value that hold.
func values(name, value string) bool {
	switch name {
	case "target_os":
		return value == "linux"
	case "target_arch":
		return value == "x86_64"
	case "target_family":
		return value == "unix"
	case "target_env":
		return value == "gnu"
	case "target_pointer_width":
		return value == "64"
	case "target_endian":
		return value == "little"
	case "target_vendor":
		return value == "unknown"
	case "panic":
		return value == "unwind"
	case "target_has_atomic":
		return value == "8" || value == "16" || value == "32" || value == "64" || value == "ptr"
	case "target_feature":
		return value == "fxsr" || value == "sse" || value == "sse2"
	}
	return false
}
