package resolve

import (
	"context"
	"errors"

	pb "deps.dev/api/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// client is the public API as the library sees it, without a wire in between.
// The operations that resolution does not use are not there.
type client struct {
	pb.InsightsClient
	store Store
}

func (c *client) GetPackage(ctx context.Context, in *pb.GetPackageRequest, _ ...grpc.CallOption) (*pb.Package, error) {
	k := in.GetPackageKey()
	doc, err := c.store.Package(ctx, catalog.PackageKey{System: catalog.System(k.GetSystem().String()), Name: k.GetName()})
	out := &pb.Package{}
	return out, read(doc, err, out)
}

func (c *client) GetVersion(ctx context.Context, in *pb.GetVersionRequest, _ ...grpc.CallOption) (*pb.Version, error) {
	doc, err := c.store.Version(ctx, keyOf(in.GetVersionKey()))
	out := &pb.Version{}
	return out, read(doc, err, out)
}

func (c *client) GetRequirements(ctx context.Context, in *pb.GetRequirementsRequest, _ ...grpc.CallOption) (*pb.Requirements, error) {
	doc, err := c.store.Requirements(ctx, keyOf(in.GetVersionKey()))
	out := &pb.Requirements{}
	return out, read(doc, err, out)
}

func keyOf(k *pb.VersionKey) catalog.VersionKey {
	return catalog.VersionKey{System: catalog.System(k.GetSystem().String()), Name: k.GetName(), Version: k.GetVersion()}
}

// read decodes a document into its message.
func read(doc []byte, err error, into proto.Message) error {
	if errors.Is(err, ErrNotFound) {
		return status.Error(codes.NotFound, err.Error())
	}
	if err != nil {
		return err
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(doc, into)
}
