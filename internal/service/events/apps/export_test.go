package apps

// SlugOf is slugOf.
func SlugOf(name string) string { return slugOf(name) }

// PermissionsToWire is permissionsToWire.
func PermissionsToWire(scopes []string) map[string]string { return permissionsToWire(scopes) }
