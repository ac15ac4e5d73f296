package forge

import (
	"stoa.dev/stoa/internal/forge/gitpages"
	"stoa.dev/stoa/internal/platform/route"
)

// maxQuestion is the largest question of a clone or fetch: a list of commits that
// the client wants and has.
const maxQuestion = 4 << 20

// routes is git's smart HTTP protocol, and the way from an address of git to the pages
// for users: no file of a repository is ever served by its path.
func (f *Forge) routes() []route.Route {
	return append(gitpages.Routes(f.world.URL), []route.Route{
		{
			Method: "GET", Pattern: "/git/{owner}/{repo}/info/refs", Name: "info_refs", Access: route.Optional,
			Timeout: f.config.Timeout, Handle: f.handleInfoRefs,
		},
		{
			Method: "POST", Pattern: "/git/{owner}/{repo}/git-upload-pack", Name: "upload_pack", Access: route.Optional,
			Timeout: f.config.Timeout, MaxBody: maxQuestion, Spools: true, Handle: f.handleUploadPack,
		},
		{
			Method: "POST", Pattern: "/git/{owner}/{repo}/git-receive-pack", Name: "receive_pack", Access: route.Optional,
			Timeout: f.config.Timeout, MaxBody: f.config.MaxPush, Spools: true, Handle: f.handleReceivePack,
		},
	}...)
}

func (f *Forge) muxOptions() route.Options {
	return f.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   f.writeError,
		Extract:      extractCredential,
		Authenticate: f.authenticate,
		Gate:         f.gate,
	})
}
