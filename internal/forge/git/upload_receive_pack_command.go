package git

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
)

// The services of git's smart protocol.
const (
	UploadPack  = "git-upload-pack"
	ReceivePack = "git-receive-pack"
)

// Serve prepares the program that answers a client, with the version of the
// protocol that the client asked for, empty for none. Only branches and tags are
// shown.
func (r *Runner) Serve(ctx context.Context, s Slot, folder, version, service string, more ...string) *exec.Cmd {
	args := []string{
		"-c", "transfer.hideRefs=refs", "-c", "transfer.hideRefs=!refs/heads", "-c", "transfer.hideRefs=!refs/tags",
		"-c", "uploadpack.allowFilter=true", "-c", "uploadpackfilter.allow=false",
		"-c", "uploadpackfilter.blob:none.allow=true", "-c", "uploadpackfilter.blob:limit.allow=true",
		"-c", "uploadpackfilter.tree.allow=true", "-c", "uploadpackfilter.object:type.allow=true",
		"-c", "receive.fsckObjects=true",
		"-c", "receive.fsck.zeroPaddedFilemode=warn", "-c", "receive.fsck.badTimezone=warn",
		"-c", "receive.fsck.missingSpaceBeforeDate=warn", "-c", "receive.autogc=false",
		"-c", "receive.maxInputSize=" + strconv.FormatInt(r.options.MaxPush, 10),
		strings.TrimPrefix(service, "git-"), "--stateless-rpc",
	}
	cmd := r.Command(ctx, s, "", append(append(args, more...), r.Path(folder))...)
	if version != "" {
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL="+version)
	}
	return cmd
}
