package module

// API is what a service of the API family says about itself, for the batches and the
// descriptions that the family has in common.
type API struct {
	// Name and Version are those of the addresses: /batch/NAME/VERSION.
	Name, Version string
	// BasePath is what all its paths begin with, with a slash at both ends.
	BasePath string
	// BatchParts is how many requests one batch may hold.
	BatchParts int
	// Booleans, Integers and Repeated are the parameters of the query that are not one text.
	Booleans, Integers, Repeated []string
	// Required are parameters of the query that an operation cannot do without, by the
	// operation's name.
	Required map[string][]string
}

// Is reports whether an address names the API; services answer to their own names too.
func (m Module) Is(api, version string) bool {
	return m.API != nil && version == m.API.Version && (api == m.API.Name || api == m.Name)
}
