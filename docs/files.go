package docs

import "io/fs"

// OpenAPI is the description of a service.
func OpenAPI(service string) ([]byte, error) {
	return fs.ReadFile(opened(), "openapi/"+service+".json")
}

// Files are the pages, their pictures and the OpenAPI descriptions.
func Files() fs.FS { return opened() }
