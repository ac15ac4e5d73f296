package machineconfig

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

func (f *Finder) mavenSteps() []step {
	return []step{
		f.file(mavenMirrors, f.home(".m2", "settings.xml"), f.below("MAVEN_HOME", "conf", "settings.xml"),
			f.below("M2_HOME", "conf", "settings.xml"), "/etc/maven/settings.xml"),
		f.mavenBuiltin,
	}
}

// mavenMirrors reads the mirror that stands for the central repository.
func mavenMirrors(text string) []string {
	var settings struct {
		Mirrors []struct {
			URL string `xml:"url"`
			Of  string `xml:"mirrorOf"`
		} `xml:"mirrors>mirror"`
	}
	if xml.Unmarshal([]byte(text), &settings) != nil {
		return nil
	}
	for _, m := range settings.Mirrors {
		for _, of := range strings.Split(m.Of, ",") {
			switch strings.TrimSpace(of) {
			case "*", "central", "external:*":
				return webLines(m.URL)
			}
		}
	}
	return nil
}

// mavenBuiltin reads the repository that every project inherits out of the
// installed Maven itself: its library carries the descriptor all others
// descend from.
func (f *Finder) mavenBuiltin(context.Context) ([]string, string) {
	for _, home := range f.mavenHomes() {
		jars, err := filepath.Glob(filepath.Join(f.path(home), "lib", "maven-model-builder-*.jar"))
		if err != nil {
			continue
		}
		for _, jar := range jars {
			if found := superDescriptor(jar); len(found) > 0 {
				return found, jar
			}
		}
	}
	return nil, ""
}

func (f *Finder) mavenHomes() []string {
	var homes []string
	for _, name := range []string{"MAVEN_HOME", "M2_HOME"} {
		if dir := f.o.Getenv(name); dir != "" {
			homes = append(homes, dir)
		}
	}
	if f.o.Root == "" {
		if mvn, err := exec.LookPath("mvn"); err == nil {
			if real, err := filepath.EvalSymlinks(mvn); err == nil {
				homes = append(homes, filepath.Dir(filepath.Dir(real)))
			}
		}
	}
	return append(homes, "/usr/share/maven")
}

func superDescriptor(jar string) []string {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return nil
	}
	defer func() { _ = archive.Close() }() // only read from
	file, err := archive.Open("org/apache/maven/model/pom-4.0.0.xml")
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(file, maxConfigFile))
	if err != nil {
		return nil
	}
	var project struct {
		Repositories []struct {
			URL string `xml:"url"`
		} `xml:"repositories>repository"`
	}
	if xml.Unmarshal(text, &project) != nil {
		return nil
	}
	var list []string
	for _, r := range project.Repositories {
		list = append(list, webLines(r.URL)...)
	}
	return list
}
