package source

import (
	"context"
	"encoding/xml"
	"errors"
	"strings"
	"sync"

	"deps.dev/util/maven"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// mavenSource reads repositories in Maven's default layout. Several may be
// configured; a package belongs to the first that has it.
type mavenSource struct{ origin }

const (
	mavenUpstream = "MAVEN_REPOSITORY"
	maxDescriptor = 4 << 20
	// maxParents bounds the walk to inherited licenses and links.
	maxParents = 6
)

// mavenFolder is the folder of group:artifact, empty for a malformed name.
func mavenFolder(name string) string {
	group, artifact, ok := strings.Cut(name, ":")
	if !ok || group == "" || artifact == "" || strings.ContainsAny(name, "/\\?#% ") || strings.Contains(name, "..") {
		return ""
	}
	return strings.ReplaceAll(group, ".", "/") + "/" + artifact
}

func (s *mavenSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	folder := mavenFolder(name)
	if folder == "" {
		return nil, registry.ErrNotFound
	}
	res, at, err := s.first(ctx, folder+"/maven-metadata.xml", registry.Request{
		ETag: since.ETag, LastModified: since.LastModified, MaxBody: maxDescriptor,
	})
	if err != nil {
		return nil, err
	}
	p, err := s.parse(ctx, res.Body, name, at)
	if err != nil {
		return nil, err
	}
	return listing(p, res)
}

func (s *mavenSource) parse(
	ctx context.Context, body []byte, name string, at registry.Address,
) (catalog.Package, error) {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.Maven, Name: name}}
	var meta struct {
		Versions []string `xml:"versioning>versions>version"`
	}
	if err := chargeMarkup(ctx, body); err != nil {
		return p, err
	}
	if err := xml.Unmarshal(body, &meta); err != nil {
		return p, s.garbage("version metadata", err)
	}
	if err := s.chargeVersions(ctx, len(meta.Versions)); err != nil {
		return p, err
	}
	for _, version := range meta.Versions {
		version = strings.TrimSpace(version)
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(version), Registries: []string{at.URL + "/"},
			Upstream: []catalog.Upstream{{Name: name, Version: version, Source: mavenUpstream}},
		})
	}
	return p, nil
}

func (s *mavenSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	project, at, res, err := s.descriptor(ctx, v.Key.Name, v.Key.Version)
	if err != nil {
		return nil, err
	}
	v.Requires = &catalog.Requirements{Maven: mavenRequirements(project), Install: mavenInstall(project)}
	v.Published = res.Modified
	v.Registries = []string{at.URL + "/"}
	folder := mavenFolder(v.Key.Name) + "/" + v.Key.Version + "/"
	v.Links = link(catalog.LabelOrigin, at.Join(folder))
	if err := s.inherited(ctx, project, &v); err != nil {
		return nil, err
	}
	if err := s.artifact(ctx, at.Join(folder), project, &v); err != nil {
		return nil, err
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}

// Requires reads the descriptor alone.
func (s *mavenSource) Requires(ctx context.Context, k catalog.VersionKey) (*catalog.Requirements, error) {
	project, _, _, err := s.descriptor(ctx, k.Name, k.Version)
	if err != nil {
		return nil, err
	}
	return &catalog.Requirements{Maven: mavenRequirements(project), Install: mavenInstall(project)}, nil
}

// descriptor reads a version's POM.
func (s *mavenSource) descriptor(
	ctx context.Context, name, version string,
) (*maven.Project, registry.Address, *registry.Response, error) {
	folder := mavenFolder(name)
	if folder == "" || strings.ContainsAny(version, "/\\?#%$ ") || strings.Contains(version, "..") {
		return nil, registry.Address{}, nil, registry.ErrNotFound
	}
	_, artifact, _ := strings.Cut(name, ":")
	res, at, err := s.first(ctx, folder+"/"+version+"/"+artifact+"-"+version+".pom",
		registry.Request{MaxBody: maxDescriptor})
	if err != nil {
		return nil, at, nil, err
	}
	if err := chargeMarkup(ctx, res.Body); err != nil {
		return nil, at, nil, err
	}
	project, err := parseDescriptor(res.Body)
	if err != nil {
		return nil, at, nil, s.garbage("descriptor", err)
	}
	return project, at, res, nil
}

// inherited takes licenses and links from the descriptor or, where it has
// none, from the nearest parent that does, as Maven itself would. Links are
// taken from parents of the same group only: a parent of another group, such
// as a foundation's, describes itself.
func (s *mavenSource) inherited(ctx context.Context, project *maven.Project, v *catalog.Version) error {
	group, _, _ := strings.Cut(v.Key.Name, ":")
	kin := true
	for range maxParents {
		if len(v.Licenses) == 0 {
			for _, l := range project.Licenses {
				v.Licenses = append(v.Licenses, catalog.Licenses(plain(project, l.Name))...)
			}
		}
		if kin {
			v.Links = addLinks(v.Links, descriptorLinks(project))
		}
		if len(v.Licenses) > 0 && hasLabel(v.Links, catalog.LabelSource) || project.Parent.ArtifactID == "" {
			return nil
		}
		kin = kin && string(project.Parent.GroupID) == group
		parent, _, _, err := s.descriptor(ctx, project.Parent.Name(), string(project.Parent.Version))
		var garbage *GarbageError
		if errors.Is(err, registry.ErrNotFound) || errors.As(err, &garbage) {
			return nil
		}
		if err != nil {
			return err
		}
		project = parent
	}
	return nil
}

func descriptorLinks(project *maven.Project) []catalog.Link {
	return concat(repository(plain(project, project.SCM.URL)), link(catalog.LabelIssues, plain(project, project.IssueManagement.URL)),
		link(catalog.LabelHome, plain(project, project.URL)))
}

// maxPlain bounds a text before it is filled and what it is filled with: a few
// letters may name a property of a megabyte many times.
const maxPlain = 2000

// plain fills the properties of a link or a license name from the descriptor
// itself. Requirements are never filled: the contract wants them as declared.
func plain(project *maven.Project, text maven.String) string {
	value := string(text)
	if !strings.Contains(value, "${") {
		return value
	}
	if len(value) > maxPlain {
		return ""
	}
	pairs := []string{
		"${project.artifactId}", string(project.ArtifactID), "${artifactId}", string(project.ArtifactID),
		"${project.groupId}", string(project.GroupID), "${project.version}", string(project.Version),
	}
	for _, p := range project.Properties.Properties {
		// What is too long for a link stays as it is written.
		if name := "${" + p.Name + "}"; len(p.Value) <= maxPlain && strings.Contains(value, name) {
			pairs = append(pairs, name, p.Value)
		}
	}
	return strings.NewReplacer(pairs...).Replace(value)
}

// addLinks adds the links whose label is not there yet.
func addLinks(have, more []catalog.Link) []catalog.Link {
	for _, l := range more {
		if !hasLabel(have, l.Label) && !strings.Contains(l.URL, "$") {
			have = append(have, l)
		}
	}
	return have
}

func hasLabel(links []catalog.Link, label string) bool {
	for _, l := range links {
		if l.Label == label {
			return true
		}
	}
	return false
}

// artifact reads the digests that stand beside the version's main file.
func (s *mavenSource) artifact(ctx context.Context, folder string, project *maven.Project, v *catalog.Version) error {
	_, name, _ := strings.Cut(v.Key.Name, ":")
	file := folder + name + "-" + v.Key.Version + "." + mavenExtension(string(project.Packaging))
	sides := []struct {
		extension string
		kind      catalog.HashType
		found     []catalog.Hash
		err       error
	}{
		{extension: ".sha1", kind: catalog.SHA1}, {extension: ".md5", kind: catalog.MD5},
		{extension: ".sha256", kind: catalog.SHA256}, {extension: ".sha512", kind: catalog.SHA512},
	}
	var all sync.WaitGroup
	for i := range sides {
		all.Go(func() {
			res, ok, err := s.optional(ctx, file+sides[i].extension, 4096)
			if sides[i].err = err; ok {
				// Some repositories write the file's name behind the digest.
				digest, _, _ := strings.Cut(strings.TrimSpace(string(res.Body)), " ")
				sides[i].found = hexHash(sides[i].kind, digest)
			}
		})
	}
	all.Wait()
	a := catalog.Artifact{URL: file}
	for _, side := range sides {
		if side.err != nil {
			return side.err
		}
		a.Hashes = append(a.Hashes, side.found...)
	}
	v.Artifacts = nil
	if len(a.Hashes) > 0 {
		v.Artifacts = []catalog.Artifact{a}
	}
	return nil
}

// mavenExtension is the file extension of a packaging.
func mavenExtension(packaging string) string {
	switch packaging {
	case "pom", "war", "ear", "aar", "zip":
		return packaging
	}
	return "jar"
}
