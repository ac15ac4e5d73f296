package pypi

import (
	"strconv"
	"strings"
)

// join writes numbers with dots between them.
func join(numbers []int) string {
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}

// installable reports whether one of a version's files can be installed: a
// source distribution, or a wheel for the Python version on this platform.
func (env *target) installable(files []string) bool {
	for _, name := range files {
		if base, ok := strings.CutSuffix(name, ".whl"); ok {
			if env.wheel(base) {
				return true
			}
		} else if strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".zip") ||
			strings.HasSuffix(name, ".tar.bz2") || strings.HasSuffix(name, ".tgz") {
			return true
		}
	}
	return false
}

// wheel reads the three tags at the end of a wheel's name.
func (env *target) wheel(base string) bool {
	parts := strings.Split(base, "-")
	if len(parts) < 5 {
		return false
	}
	pythons, abis, platforms := parts[len(parts)-3], parts[len(parts)-2], parts[len(parts)-1]
	fits := false
	for p := range strings.SplitSeq(platforms, ".") {
		fits = fits || onLinux(p)
	}
	if !fits {
		return false
	}
	for python := range strings.SplitSeq(pythons, ".") {
		for abi := range strings.SplitSeq(abis, ".") {
			if env.tag(python, abi) {
				return true
			}
		}
	}
	return false
}

func onLinux(platform string) bool {
	return platform == "any" || platform == "linux_x86_64" ||
		strings.HasPrefix(platform, "manylinux") && strings.HasSuffix(platform, "_x86_64")
}

// tag reports whether a pair of tags is for the Python version: its own, the
// stable interface of an older one, or none.
func (env *target) tag(python, abi string) bool {
	major, minor := env.python.segment(0), env.python.segment(1)
	own := "cp" + strconv.Itoa(major) + strconv.Itoa(minor)
	digits, isC := strings.CutPrefix(python, "cp")
	if !isC {
		digits, isC = strings.CutPrefix(python, "py")
		if !isC || abi != "none" {
			return false
		}
		return digits != "" && number(digits[:1]) == major && (len(digits) == 1 || number(digits[1:]) <= minor)
	}
	switch {
	case digits == "" || number(digits[:1]) != major:
		return false
	case python == own:
		return abi == own || abi == "abi3" || abi == "none"
	case abi == "abi3":
		return number(digits[1:]) <= minor
	}
	return python == "cp"+strconv.Itoa(major) && abi == "none"
}
