package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	pb "deps.dev/api/v3"
	"deps.dev/util/resolve"
	"deps.dev/util/resolve/version"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// client is the public API as the library sees it, without a wire in between.
// The operations that resolution does not use are not there. It serves one
// resolution, remembers what it was told, since the library asks for the same
// again and again, and bounds the graphs that publishers can make.
type client struct {
	pb.InsightsClient
	lookup *graph.Lookup

	packages     map[string]*pb.Package
	requirements map[catalog.VersionKey]*pb.Requirements
	// withdrawn are versions that are not chosen while there are others.
	withdrawn map[catalog.VersionKey]bool
	// unknown are versions about which the store knows nothing.
	unknown map[catalog.VersionKey]bool
	// expanded is descriptors whose properties were found to be in bounds.
	expanded map[catalog.VersionKey]bool
	asked    int
	// consumed is the Maven version that the consumer needs, relocated are those
	// that only name another.
	consumed  catalog.VersionKey
	relocated map[catalog.VersionKey]bool
}

func newClient(l *graph.Lookup) *client {
	return &client{
		lookup: l, packages: map[string]*pb.Package{},
		requirements: map[catalog.VersionKey]*pb.Requirements{},
		withdrawn:    map[catalog.VersionKey]bool{}, unknown: map[catalog.VersionKey]bool{},
		expanded: map[catalog.VersionKey]bool{}, relocated: map[catalog.VersionKey]bool{},
	}
}

// maxAsked bounds how often requirements are asked for: once for each node
// that npm places, and with Maven also for parents.
const maxAsked = 2 * graph.MaxNodes

// Why a resolution is given up.
var (
	errProperties = errors.New("the properties of a descriptor fill in to too much text")
)

// GetPackage answers a package without versions for one that is not known, so
// that the graph has a node with an error rather than nothing.
func (c *client) GetPackage(ctx context.Context, in *pb.GetPackageRequest, _ ...grpc.CallOption) (*pb.Package, error) {
	k := catalog.PackageKey{
		System: catalog.System(in.GetPackageKey().GetSystem().String()), Name: in.GetPackageKey().GetName(),
	}
	if p := c.packages[k.Name]; p != nil {
		return p, ctx.Err()
	}
	doc, err := c.lookup.Package(k)
	out := &pb.Package{}
	if err := c.read(doc, err, out); err != nil && status.Code(err) != codes.NotFound {
		return nil, err
	}
	for _, v := range out.GetVersions() {
		if v.GetIsDeprecated() {
			c.withdrawn[k.At(v.GetVersionKey().GetVersion())] = true
		}
	}
	c.packages[k.Name] = out
	return out, nil
}

// GetVersion answers a bare version of Maven: Maven takes what is required
// without looking whether it exists.
func (c *client) GetVersion(ctx context.Context, in *pb.GetVersionRequest, _ ...grpc.CallOption) (*pb.Version, error) {
	k := keyOf(in.GetVersionKey())
	if k.System == catalog.Maven {
		return &pb.Version{VersionKey: in.GetVersionKey()}, nil
	}
	doc, err := c.lookup.Version(k)
	out := &pb.Version{}
	return out, c.read(doc, err, out)
}

// GetRequirements answers no requirements where they are not known; the node
// is marked in the end.
func (c *client) GetRequirements(
	ctx context.Context, in *pb.GetRequirementsRequest, _ ...grpc.CallOption,
) (*pb.Requirements, error) {
	k := keyOf(in.GetVersionKey())
	if c.asked++; c.asked > maxAsked {
		return nil, graph.ErrTooManyNodes
	}
	out, err := c.requirementsOf(ctx, k)
	if err != nil {
		return nil, err
	}
	if k.System == catalog.Maven && !c.expanded[k] {
		if err := c.checkProperties(ctx, k); err != nil {
			return nil, err
		}
		c.expanded[k] = true
	}
	return out, nil
}

func (c *client) requirementsOf(ctx context.Context, k catalog.VersionKey) (*pb.Requirements, error) {
	if r := c.requirements[k]; r != nil {
		return r, ctx.Err()
	}
	if k == consumer() {
		return needsOne(c.consumed), nil
	}
	doc, err := c.lookup.RequirementsDocument(k)
	out := &pb.Requirements{}
	switch err = c.read(doc, err, out); {
	case status.Code(err) == codes.NotFound:
		c.unknown[k.Canonical()] = true
		out = &pb.Requirements{
			Npm: &pb.Requirements_NPM{}, Maven: &pb.Requirements_Maven{}, Pypi: &pb.Requirements_PyPI{},
		}
	case err != nil:
		return nil, err
	}
	if to := relocation(doc); to != nil {
		c.relocated[k] = true
		out = needsOne(*to)
	}
	c.requirements[k] = out
	return out, nil
}

// needsOne is the requirements of a descriptor with one dependency.
func needsOne(k catalog.VersionKey) *pb.Requirements {
	return &pb.Requirements{Maven: &pb.Requirements_Maven{
		Dependencies: []*pb.Requirements_Maven_Dependency{{Name: k.Name, Version: k.Version, Type: "jar"}},
	}}
}

// relocation is where a descriptor says that its artifact has moved to.
func relocation(doc []byte) *catalog.VersionKey {
	if !bytes.Contains(doc, []byte(`"relocation":`)) {
		return nil
	}
	var needs catalog.Requirements
	if json.Unmarshal(doc, &needs) != nil || needs.Install == nil {
		return nil
	}
	return needs.Install.Relocation
}

// maxParents is how far the library follows parents.
const maxParents = resolve.MaxMavenParent

// checkProperties refuses a descriptor whose properties, filled in with those
// of its parents, would be more text than memory holds: a few lines that name
// each other twice are enough for that.
func (c *client) checkProperties(ctx context.Context, k catalog.VersionKey) error {
	var properties catalog.Properties
	var texts []string
	for range maxParents {
		r, err := c.requirementsOf(ctx, k)
		if err != nil {
			return err
		}
		m := r.GetMaven()
		group, _, _ := strings.Cut(k.Name, ":")
		properties.AddProject(group, k.Version)
		addProperties(&properties, m.GetProperties())
		texts = addTexts(texts, m.GetDependencies(), m.GetDependencyManagement())
		for _, p := range m.GetProfiles() {
			addProperties(&properties, p.GetProperties())
			texts = addTexts(texts, p.GetDependencies(), p.GetDependencyManagement())
		}
		for _, one := range m.GetRepositories() {
			texts = append(texts, one.GetId(), one.GetUrl(), one.GetLayout(), one.GetReleasesEnabled(),
				one.GetSnapshotsEnabled())
		}
		if m.GetParent() == nil {
			break
		}
		k = keyOf(m.GetParent())
	}
	if !properties.Bounded(texts) {
		return errProperties
	}
	return nil
}

func addProperties(to *catalog.Properties, list []*pb.Requirements_Maven_Property) {
	for _, p := range list {
		to.Add(p.GetName(), p.GetValue())
	}
}

func addTexts(texts []string, lists ...[]*pb.Requirements_Maven_Dependency) []string {
	for _, list := range lists {
		for _, d := range list {
			texts = append(texts, d.GetName(), d.GetVersion(), d.GetClassifier(), d.GetType(), d.GetScope(),
				d.GetOptional())
			texts = append(texts, d.GetExclusions()...)
		}
	}
	return texts
}

func keyOf(k *pb.VersionKey) catalog.VersionKey {
	return catalog.VersionKey{
		System: catalog.System(k.GetSystem().String()), Name: k.GetName(), Version: k.GetVersion(),
	}
}

// read decodes a document into its message.
func (c *client) read(doc []byte, err error, into proto.Message) error {
	if errors.Is(err, graph.ErrNotFound) {
		return status.Error(codes.NotFound, err.Error())
	}
	if err != nil {
		return err
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(doc, into)
}

// choosing is the library's client with the package managers' dislike of
// withdrawn versions, of which the library's own knows nothing.
type choosing struct {
	*resolve.APIClient
	client *client
}

// MatchingVersions leaves out what is withdrawn from an index unless nothing
// else satisfies the requirement, and marks what npm's authors advise against.
func (c choosing) MatchingVersions(ctx context.Context, vk resolve.VersionKey) ([]resolve.Version, error) {
	if p := c.client.packages[vk.Name]; p != nil {
		if err := c.client.lookup.SpendSteps(len(p.GetVersions())); err != nil {
			return nil, err
		}
	}
	all, err := c.APIClient.MatchingVersions(ctx, vk)
	if err != nil || len(c.client.withdrawn) == 0 {
		return all, err
	}
	standing := make([]resolve.Version, 0, len(all))
	for i := range all {
		k := catalog.VersionKey{
			System: catalog.System(pb.System(vk.System).String()), Name: vk.Name, Version: all[i].Version,
		}
		if !c.client.withdrawn[k] {
			standing = append(standing, all[i])
		} else if vk.System == resolve.NPM {
			all[i].SetAttr(version.Blocked, "")
		}
	}
	if len(standing) == 0 || vk.System == resolve.NPM {
		return all, nil
	}
	return standing, nil
}
