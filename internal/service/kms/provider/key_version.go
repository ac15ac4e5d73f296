package provider

// Version is one version of a remote key.
type Version struct {
	// Name is the remote's name of it, as Wrap and Unwrap take it.
	Name string
	// Stamp distinguishes it from another version of the same name: where the key
	// is and when the version was made. A key that was deleted and made again has
	// another stamp.
	Stamp string
}
