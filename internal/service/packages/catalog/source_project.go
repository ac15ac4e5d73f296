package catalog

import (
	"net/url"
	"slices"
	"strings"
)

// The three code-hosting sites of the contract.
const (
	hostA = "github.com"
	hostB = "gitlab.com"
	hostC = "bitbucket.org"
)

func isCodeHost(host string) bool {
	return host == hostA || host == hostB || host == hostC
}

// MaxProject bounds a project id.
const MaxProject = 400

// ProjectID reads a project id as a caller sends it and returns its canonical
// form: lower case, host/user/repo with one of the three hosts; the second
// host has groups in groups, so more segments are allowed there.
func ProjectID(id string) (string, bool) {
	if len(id) > MaxProject {
		return "", false
	}
	parts := strings.Split(strings.ToLower(strings.TrimSuffix(id, ".git")), "/")
	if !isCodeHost(parts[0]) || slices.Contains(parts, "") {
		return "", false
	}
	if len(parts) != 3 && (len(parts) < 3 || parts[0] != hostB) {
		return "", false
	}
	return strings.Join(parts, "/"), true
}

// ProjectOf finds the project a link points into. It understands web
// addresses, git remotes of every spelling and the short forms of npm
// ("github:user/repo", "user/repo").
func ProjectOf(link string) (string, bool) {
	repository, ok := RepositoryOf(link)
	if !ok {
		return "", false
	}
	return ProjectID(repository)
}

// RepositoryOf is ProjectOf in the letters in which the link is written: ids are in
// small letters, links keep their case.
func RepositoryOf(link string) (string, bool) {
	link = strings.TrimSpace(link)
	for _, host := range []string{hostA, hostB, hostC} {
		name, _, _ := strings.Cut(host, ".")
		if rest, ok := strings.CutPrefix(link, name+":"); ok {
			link = host + "/" + rest
		}
	}
	link = strings.TrimPrefix(strings.TrimPrefix(link, "scm:"), "git:")
	link = strings.TrimPrefix(strings.TrimPrefix(link, "//"), "git+")
	if !strings.Contains(link, "://") {
		// git@host:user/repo and host/user/repo.
		link = "ssh://" + strings.Replace(link, ":", "/", 1)
	}
	u, err := url.Parse(link)
	if err != nil {
		return "", false
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if !isCodeHost(host) {
		return "", false
	}
	return projectPath(host, strings.Split(strings.Trim(u.Path, "/"), "/"))
}

// projectPath takes the project out of a path that may go on into issues,
// trees or files.
func projectPath(host string, parts []string) (string, bool) {
	if host == hostB {
		if i := slices.Index(parts, "-"); i >= 0 {
			parts = parts[:i]
		}
		if i := slices.IndexFunc(parts, isProjectPage); i >= 2 {
			parts = parts[:i]
		}
	} else if len(parts) > 2 {
		parts = parts[:2]
	}
	if len(parts) < 2 {
		return "", false
	}
	parts[len(parts)-1] = strings.TrimSuffix(parts[len(parts)-1], ".git")
	repository := host + "/" + strings.Join(parts, "/")
	_, ok := ProjectID(repository)
	return repository, ok
}

func isProjectPage(segment string) bool {
	switch segment {
	case "issues", "tree", "blob", "merge_requests", "wikis":
		return true
	}
	return false
}
