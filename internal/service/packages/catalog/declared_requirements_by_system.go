package catalog

import "bytes"

// Requirements are the dependencies a version declares, unresolved. Exactly
// one member is set: that of the version's system. The members have the shape
// the contract prints, so their JSON is the wire form; a nil list inside a
// set member would print as null, which Fill prevents.
type Requirements struct {
	NuGet    *NuGetRequirements    `json:"nuget,omitempty"`
	NPM      *NPMRequirements      `json:"npm,omitempty"`
	Maven    *MavenRequirements    `json:"maven,omitempty"`
	RubyGems *RubyGemsRequirements `json:"rubygems,omitempty"`
	Go       *GoRequirements       `json:"go,omitempty"`
	PyPI     *PyPIRequirements     `json:"pypi,omitempty"`
	Cargo    *CargoRequirements    `json:"cargo,omitempty"`
	// Install is what a graph needs besides; it is stored and not served.
	Install *Install `json:"install,omitempty"`
}

// Install is what package managers look at besides the requirements.
type Install struct {
	// Relocation is where a Maven descriptor says that its artifact has moved to.
	Relocation *VersionKey `json:"relocation,omitempty"`
	// GoVersion is the language version of a go.mod.
	GoVersion string `json:"goVersion,omitempty"`
	// OS, CPU and LibC are the platforms that an npm package is for,
	// OptionalPeers the peers that it can do without.
	OS            []string `json:"os,omitempty"`
	CPU           []string `json:"cpu,omitempty"`
	LibC          []string `json:"libc,omitempty"`
	OptionalPeers []string `json:"optionalPeers,omitempty"`
}

// Served is an encoded document of requirements without what is not served,
// which stands last. A quote inside a text is escaped, so that the member's
// name cannot be found in one.
func Served(doc []byte) []byte {
	if at := bytes.LastIndex(doc, []byte(`,"install":{`)); at >= 0 {
		return append(doc[:at:at], '}')
	}
	return doc
}

// only reports whether no member is set but that of a system.
func (r *Requirements) only(s System) bool {
	return (r.NuGet == nil || s == NuGet) && (r.NPM == nil || s == NPM) && (r.Maven == nil || s == Maven) &&
		(r.RubyGems == nil || s == RubyGems) &&
		(r.Go == nil || s == Go) && (r.PyPI == nil || s == PyPI) && (r.Cargo == nil || s == Cargo)
}

// ListTells reports whether the requirements of a version of which no more than
// they are known are all that a graph needs.
func ListTells(s System, requires []byte) bool {
	switch s {
	case Cargo, Go, Maven:
		return len(requires) > 0
	case NPM:
		return len(requires) > 0 && !bytes.Contains(requires, []byte(`"bundleDependencies":["`))
	default:
		return false
	}
}

// Requirement is a name and the range of versions that satisfies it.
type Requirement struct {
	Name        string `json:"name"`
	Requirement string `json:"requirement"`
}

// NuGetRequirements are dependencies grouped by target framework.
type NuGetRequirements struct {
	Groups []NuGetGroup `json:"dependencyGroups"`
}

// NuGetGroup is the dependencies under one target framework.
type NuGetGroup struct {
	TargetFramework string        `json:"targetFramework"`
	Dependencies    []Requirement `json:"dependencies"`
}

// NPMRequirements are a manifest's dependencies and those of the manifests
// bundled in the packed archive.
type NPMRequirements struct {
	Dependencies NPMDependencies `json:"dependencies"`
	Bundled      []NPMBundle     `json:"bundled"`
}

// NPMDependencies is the dependency part of one package.json.
type NPMDependencies struct {
	Dependencies         []Requirement `json:"dependencies"`
	DevDependencies      []Requirement `json:"devDependencies"`
	OptionalDependencies []Requirement `json:"optionalDependencies"`
	PeerDependencies     []Requirement `json:"peerDependencies"`
	BundleDependencies   []string      `json:"bundleDependencies"`
}

// NPMBundle is one manifest found inside the packed archive.
type NPMBundle struct {
	Path         string          `json:"path"`
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Dependencies NPMDependencies `json:"dependencies"`
}

// MavenRequirements are what the version's own descriptor declares: parents
// are not merged, properties are not interpolated.
type MavenRequirements struct {
	Parent       *VersionKey       `json:"parent,omitempty"`
	Dependencies []MavenDependency `json:"dependencies"`
	Management   []MavenDependency `json:"dependencyManagement"`
	Properties   []MavenProperty   `json:"properties"`
	Repositories []MavenRepository `json:"repositories"`
	Profiles     []MavenProfile    `json:"profiles"`
}

// MavenDependency is one declared dependency; Optional is a string because a
// property may stand there.
type MavenDependency struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Classifier string   `json:"classifier"`
	Type       string   `json:"type"`
	Scope      string   `json:"scope"`
	Optional   string   `json:"optional"`
	Exclusions []string `json:"exclusions"`
}

// MavenProperty is one property of a descriptor.
type MavenProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MavenRepository is one repository of a descriptor, all strings as declared.
type MavenRepository struct {
	ID               string `json:"id"`
	URL              string `json:"url"`
	Layout           string `json:"layout"`
	ReleasesEnabled  string `json:"releasesEnabled"`
	SnapshotsEnabled string `json:"snapshotsEnabled"`
}

// MavenProfile is one conditional part of a descriptor.
type MavenProfile struct {
	ID           string            `json:"id"`
	Activation   *MavenActivation  `json:"activation"`
	Dependencies []MavenDependency `json:"dependencies"`
	Management   []MavenDependency `json:"dependencyManagement"`
	Properties   []MavenProperty   `json:"properties"`
	Repositories []MavenRepository `json:"repositories"`
}

// MavenActivation is the condition of a profile.
type MavenActivation struct {
	ActiveByDefault string                   `json:"activeByDefault"`
	JDK             *MavenJDK                `json:"jdk,omitempty"`
	OS              *MavenOS                 `json:"os,omitempty"`
	Property        *MavenActivationProperty `json:"property,omitempty"`
	File            *MavenFile               `json:"file,omitempty"`
}

// MavenJDK is a Java version condition.
type MavenJDK struct {
	JDK string `json:"jdk"`
}

// MavenOS is an operating system condition.
type MavenOS struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Arch    string `json:"arch"`
	Version string `json:"version"`
}

// MavenActivationProperty is a property condition.
type MavenActivationProperty struct {
	Property MavenProperty `json:"property"`
}

// MavenFile is a file condition.
type MavenFile struct {
	Exists  string `json:"exists"`
	Missing string `json:"missing"`
}

// RubyGemsRequirements are the dependencies of a gem specification.
type RubyGemsRequirements struct {
	Runtime []Requirement `json:"runtimeDependencies"`
	Dev     []Requirement `json:"devDependencies"`
}

// GoRequirements are the require lines of a go.mod file.
type GoRequirements struct {
	Direct   []Requirement `json:"directDependencies"`
	Indirect []Requirement `json:"indirectDependencies"`
}

// PyPIRequirements are the Requires-Dist lines of a distribution.
type PyPIRequirements struct {
	Dependencies []PyPIRequirement `json:"dependencies"`
	Python       string            `json:"requiredPythonVersion"`
	// Unknown is why the dependencies are not known, or not surely all of them;
	// empty when they are.
	Unknown string `json:"unknown,omitempty"`
}

// PyPIRequirement is one Requires-Dist line, taken apart.
type PyPIRequirement struct {
	Name      string `json:"projectName"`
	Extras    string `json:"extras"`
	Specifier string `json:"versionSpecifier"`
	Marker    string `json:"environmentMarker"`
}

// CargoRequirements are the dependencies an index line declares.
type CargoRequirements struct {
	Dependencies []CargoRequirement `json:"dependencies"`
	Features     []CargoFeature     `json:"features"`
	// Links is the native library that only one crate of a graph may link to.
	Links string `json:"links,omitempty"`
}

// CargoFeature is a feature and what it turns on.
type CargoFeature struct {
	Name    string   `json:"name"`
	Implies []string `json:"implies"`
}

// CargoRequirement is one dependency of a crate.
type CargoRequirement struct {
	Name        string   `json:"name"`
	Requirement string   `json:"requirement"`
	Kind        string   `json:"kind"`
	Optional    bool     `json:"optional"`
	Alias       string   `json:"packageAlias"`
	Defaults    bool     `json:"usesDefaultFeatures"`
	Features    []string `json:"features"`
	Target      string   `json:"target"`
}

// Fill replaces every nil list by an empty one, so that JSON prints [].
func (r *Requirements) Fill() {
	if n := r.NuGet; n != nil {
		fill(&n.Groups)
		for i := range n.Groups {
			fill(&n.Groups[i].Dependencies)
		}
	}
	if n := r.NPM; n != nil {
		n.Dependencies.fill()
		fill(&n.Bundled)
		for i := range n.Bundled {
			n.Bundled[i].Dependencies.fill()
		}
	}
	if m := r.Maven; m != nil {
		m.fill()
	}
	if g := r.RubyGems; g != nil {
		fill(&g.Runtime)
		fill(&g.Dev)
	}
	if g := r.Go; g != nil {
		fill(&g.Direct)
		fill(&g.Indirect)
	}
	if p := r.PyPI; p != nil {
		fill(&p.Dependencies)
	}
	if c := r.Cargo; c != nil {
		fill(&c.Dependencies)
		fill(&c.Features)
		for i := range c.Features {
			fill(&c.Features[i].Implies)
		}
		for i := range c.Dependencies {
			fill(&c.Dependencies[i].Features)
		}
	}
}

func (d *NPMDependencies) fill() {
	fill(&d.Dependencies)
	fill(&d.DevDependencies)
	fill(&d.OptionalDependencies)
	fill(&d.PeerDependencies)
	fill(&d.BundleDependencies)
}

func (m *MavenRequirements) fill() {
	fill(&m.Properties)
	fill(&m.Repositories)
	fill(&m.Profiles)
	fillMaven(&m.Dependencies)
	fillMaven(&m.Management)
	for i := range m.Profiles {
		p := &m.Profiles[i]
		if p.Activation == nil {
			// Clients of the public API count on it being there.
			p.Activation = &MavenActivation{}
		}
		fill(&p.Properties)
		fill(&p.Repositories)
		fillMaven(&p.Dependencies)
		fillMaven(&p.Management)
	}
}

func fillMaven(list *[]MavenDependency) {
	fill(list)
	for i := range *list {
		fill(&(*list)[i].Exclusions)
	}
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
