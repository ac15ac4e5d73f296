package source

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"

	"deps.dev/util/maven"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// parseDescriptor reads a POM. Old ones declare character sets that no tool
// can decode any more, or name entities of HTML; such bytes are let through,
// because names and versions are plain ASCII.
func parseDescriptor(body []byte) (*maven.Project, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var project maven.Project
	if err := d.Decode(&project); err != nil {
		return nil, err
	}
	if project.ArtifactID == "" {
		return nil, io.ErrUnexpectedEOF
	}
	return &project, nil
}

// mavenRequirements is what the descriptor declares, untouched: no parent is
// merged, no property filled; only the type has its documented default.
func mavenRequirements(p *maven.Project) *catalog.MavenRequirements {
	r := &catalog.MavenRequirements{
		Dependencies: mavenDependencies(p.Dependencies),
		Management:   mavenDependencies(p.DependencyManagement.Dependencies),
		Properties:   mavenProperties(p.Properties),
		Repositories: mavenRepositories(p.Repositories),
	}
	if p.Parent.ArtifactID != "" {
		r.Parent = &catalog.VersionKey{System: catalog.Maven, Name: p.Parent.Name(), Version: string(p.Parent.Version)}
	}
	for i := range p.Profiles {
		r.Profiles = append(r.Profiles, mavenProfile(&p.Profiles[i]))
	}
	return r
}

// mavenInstall is where the descriptor says that the artifact has moved to.
// What it leaves out stays as it is.
func mavenInstall(p *maven.Project) *catalog.Install {
	r := p.DistributionManagement.Relocation
	if r == (maven.Relocation{}) {
		return nil
	}
	group, version := cmp.Or(p.GroupID, p.Parent.GroupID), cmp.Or(p.Version, p.Parent.Version)
	return &catalog.Install{Relocation: &catalog.VersionKey{
		System: catalog.Maven, Name: string(cmp.Or(r.GroupID, group)) + ":" + string(cmp.Or(r.ArtifactID, p.ArtifactID)),
		Version: string(cmp.Or(r.Version, version)),
	}}
}

func mavenProfile(p *maven.Profile) catalog.MavenProfile {
	return catalog.MavenProfile{
		ID:           string(p.ID),
		Activation:   mavenActivation(&p.Activation),
		Dependencies: mavenDependencies(p.Dependencies),
		Management:   mavenDependencies(p.DependencyManagement.Dependencies),
		Properties:   mavenProperties(p.Properties),
		Repositories: mavenRepositories(p.Repositories),
	}
}

func mavenActivation(a *maven.Activation) *catalog.MavenActivation {
	out := &catalog.MavenActivation{ActiveByDefault: string(a.ActiveByDefault)}
	if a.JDK != "" {
		out.JDK = &catalog.MavenJDK{JDK: string(a.JDK)}
	}
	if a.OS != (maven.ActivationOS{}) {
		out.OS = &catalog.MavenOS{
			Name: string(a.OS.Name), Family: string(a.OS.Family), Arch: string(a.OS.Arch),
			Version: string(a.OS.Version),
		}
	}
	if a.Property != (maven.ActivationProperty{}) {
		out.Property = &catalog.MavenActivationProperty{Property: catalog.MavenProperty{Name: string(a.Property.Name), Value: string(a.Property.Value)}}
	}
	if a.File != (maven.ActivationFile{}) {
		out.File = &catalog.MavenFile{Exists: string(a.File.Exists), Missing: string(a.File.Missing)}
	}
	return out
}

func mavenDependencies(list []maven.Dependency) []catalog.MavenDependency {
	var out []catalog.MavenDependency
	for i := range list {
		d := &list[i]
		one := catalog.MavenDependency{
			Name: d.Name(), Version: string(d.Version), Classifier: string(d.Classifier),
			Type: string(d.Type), Scope: string(d.Scope), Optional: string(d.Optional),
		}
		if one.Type == "" {
			one.Type = "jar"
		}
		for _, e := range d.Exclusions {
			one.Exclusions = append(one.Exclusions, string(e.GroupID)+":"+string(e.ArtifactID))
		}
		out = append(out, one)
	}
	return out
}

func mavenProperties(p maven.Properties) []catalog.MavenProperty {
	var out []catalog.MavenProperty
	for _, one := range p.Properties {
		out = append(out, catalog.MavenProperty{Name: one.Name, Value: one.Value})
	}
	return out
}

func mavenRepositories(list []maven.Repository) []catalog.MavenRepository {
	var out []catalog.MavenRepository
	for _, r := range list {
		out = append(out, catalog.MavenRepository{
			ID: string(r.ID), URL: string(r.URL), Layout: string(r.Layout),
			ReleasesEnabled: string(r.Releases.Enabled), SnapshotsEnabled: string(r.Snapshots.Enabled),
		})
	}
	return out
}
