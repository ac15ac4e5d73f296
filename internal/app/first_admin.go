package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"stoa.dev/stoa/internal/identity"
)

// FirstAdmin adds an administrator when there are no users yet and returns the
// password, which is shown once; otherwise it returns nothing, and so it does when
// the operator has chosen the password or another server was faster.
func (a *App) FirstAdmin(ctx context.Context) (name, password string, err error) {
	users, err := a.identity.CountUsers(ctx)
	if err != nil || users > 0 {
		return "", "", err
	}
	admin := identity.NewUser{Name: "admin", DisplayName: "Administrator", Password: a.world.IDs.Hex(20), Admin: true}
	file := a.config.AdminPasswordFile
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("%w: admin_password_file: %w", ErrConfig, err)
		}
		admin.Password = strings.TrimSpace(string(text))
	}
	_, err = a.identity.AddUser(ctx, admin)
	if errors.Is(err, identity.ErrTaken) {
		return "", "", nil
	}
	if errors.Is(err, identity.ErrInvalid) && file != "" { // by the rules for every password
		return "", "", fmt.Errorf("%w: admin_password_file: %w", ErrConfig, err)
	}
	if err != nil || file != "" {
		return "", "", err
	}
	return admin.Name, admin.Password, nil
}
