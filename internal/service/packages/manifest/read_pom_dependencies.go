package manifest

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"

	"deps.dev/util/maven"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// readPOM reads the dependencies of a descriptor whose versions are written
// out; others stand for the package.
func readPOM(text []byte) ([]catalog.VersionKey, error) {
	var project maven.Project
	if err := xml.Unmarshal(text, &project); err != nil {
		return nil, err
	}
	project, err := fill(project)
	if err != nil {
		return nil, err
	}
	var keys []catalog.VersionKey
	for _, d := range append(project.Dependencies, project.DependencyManagement.Dependencies...) {
		version := string(d.Version)
		if strings.ContainsAny(version, "$[(,") {
			version = ""
		}
		keys = append(keys, catalog.VersionKey{System: catalog.Maven, Name: d.Name(), Version: version})
	}
	if project.Parent.ArtifactID != "" {
		keys = append(keys, catalog.VersionKey{
			System: catalog.Maven, Name: project.Parent.Name(), Version: string(project.Parent.Version),
		})
	}
	return keys, nil
}

// fill fills in the properties of a descriptor's dependencies, unless that
// takes too much text. All else is dropped.
func fill(project maven.Project) (maven.Project, error) {
	needs := maven.Project{
		ProjectKey: project.ProjectKey, Parent: project.Parent, Properties: project.Properties,
		Dependencies: project.Dependencies, DependencyManagement: project.DependencyManagement,
	}
	var properties catalog.Properties
	properties.AddProject(string(needs.GroupID), string(needs.Version))
	properties.AddProject(string(needs.Parent.GroupID), string(needs.Parent.Version))
	for _, p := range needs.Properties.Properties {
		properties.Add(p.Name, p.Value)
	}
	var texts []string
	for _, d := range slices.Concat(needs.Dependencies, needs.DependencyManagement.Dependencies) {
		texts = append(texts, string(d.GroupID), string(d.ArtifactID), string(d.Version), string(d.Classifier),
			string(d.Type), string(d.Scope), string(d.Optional))
		for _, e := range d.Exclusions {
			texts = append(texts, string(e.GroupID), string(e.ArtifactID))
		}
	}
	if !properties.Bounded(texts) {
		return needs, errors.New("its properties fill in to too much text")
	}
	return needs, needs.Interpolate()
}
