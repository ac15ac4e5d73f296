package matrix_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// TestRemoteProcedures: every procedure of every service, over the common
// listener, takes the operator's token and nothing else.
func TestRemoteProcedures(t *testing.T) {
	h := conformance.Start(t, conformance.Options{Unobserved: true, Configure: func(c *app.Config) {
		configure(c)
		c.KMS.TCP = true
	}})
	f := build(t, h)
	conn, err := grpc.NewClient(strings.TrimPrefix(h.URL, "http://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the test is over
	credentials := map[string]string{"none": "", "operator": h.Token(t, "ada", "kms")}
	for service, kinds := range f.tokens {
		for kind, value := range kinds {
			credentials[service+" "+kind] = value
		}
	}
	credentials["everything but kms"] = h.Token(t, "ada", "*")
	for _, method := range procedures() {
		h.Clock.Advance(2 * time.Minute) // refused tokens are counted by the minute
		for _, name := range slices.Sorted(maps.Keys(credentials)) {
			ctx := t.Context()
			if credentials[name] != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+credentials[name])
			}
			got := status.Code(conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{}))
			refused := got == codes.Unauthenticated || got == codes.PermissionDenied
			if refused == (name == "operator") {
				t.Errorf("%s with %s: %s", method, name, got)
			}
		}
	}
}

// procedures are those that the modules register.
func procedures() []string {
	var list []string
	for _, m := range app.Tables() {
		if m.RegisterRPC == nil {
			continue
		}
		s := grpc.NewServer()
		m.RegisterRPC(s)
		for service, info := range s.GetServiceInfo() {
			for _, method := range info.Methods {
				list = append(list, "/"+service+"/"+method.Name)
			}
		}
	}
	slices.SortFunc(list, cmp.Compare[string])
	return list
}
