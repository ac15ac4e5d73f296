package objects

// Collaborator is a user with permissions.
type Collaborator struct {
	User
	Permissions Permissions `json:"permissions"`
	RoleName    string      `json:"role_name"`
}

// Permission is what one user may do.
type Permission struct {
	Permission string       `json:"permission"`
	RoleName   string       `json:"role_name"`
	User       Collaborator `json:"user"`
}
