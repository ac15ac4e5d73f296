package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
)

// Access says who may open a unix socket. An empty owner or group is the process's.
type Access struct {
	Mode         fs.FileMode
	Owner, Group string
}

// ownerOnly is the access of a socket that only the server's own user opens.
func ownerOnly() Access { return Access{Mode: 0o600} }

// maxMode leaves out everybody but owner and group.
const maxMode = 0o770

// KMSAccess is the configured access to the key-management socket.
func (c Config) KMSAccess() (Access, error) {
	access := Access{Mode: ownerOnly().Mode, Owner: c.KMSOwner, Group: c.KMSGroup}
	if c.KMSMode == "" {
		return access, nil
	}
	mode, err := strconv.ParseUint(c.KMSMode, 8, 32)
	if err != nil || mode&0o600 != 0o600 || mode&^maxMode != 0 {
		return access, fmt.Errorf("listen.kms_mode: %q must be 0600 to 0770 in octal, without rights for all others",
			c.KMSMode)
	}
	access.Mode = fs.FileMode(mode)
	return access, nil
}

// apply gives the file to its owner and group and sets its mode, in this order:
// a change of owner may take rights away.
func (a Access) apply(path string) error {
	uid, err := a.ownerID()
	if err != nil {
		return err
	}
	gid, err := a.groupID()
	if err != nil {
		return err
	}
	if uid >= 0 || gid >= 0 {
		if err := os.Chown(path, uid, gid); err != nil {
			return fmt.Errorf("give the socket to %s: %w", a.names(), withoutPath(err))
		}
	}
	return os.Chmod(path, a.Mode)
}

func (a Access) names() string {
	switch {
	case a.Group == "":
		return "user " + a.Owner
	case a.Owner == "":
		return "group " + a.Group
	}
	return "user " + a.Owner + " and group " + a.Group
}

// withoutPath drops the name of the file, which is a temporary one.
func withoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// ownerID is -1 where nothing is to change.
func (a Access) ownerID() (int, error) {
	if a.Owner == "" {
		return -1, nil
	}
	if id, err := strconv.Atoi(a.Owner); err == nil && id >= 0 {
		return id, nil
	}
	u, err := user.Lookup(a.Owner)
	if err != nil {
		return 0, fmt.Errorf("listen.kms_owner: %w", err)
	}
	return strconv.Atoi(u.Uid)
}

func (a Access) groupID() (int, error) {
	if a.Group == "" {
		return -1, nil
	}
	if id, err := strconv.Atoi(a.Group); err == nil && id >= 0 {
		return id, nil
	}
	g, err := user.LookupGroup(a.Group)
	if err != nil {
		return 0, fmt.Errorf("listen.kms_group: %w", err)
	}
	return strconv.Atoi(g.Gid)
}
