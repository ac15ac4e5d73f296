package hostpaths

import "net/http"

// Before serves what a part of the paths answers first, and the rest.
func Before(first func(http.ResponseWriter, *http.Request) bool, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !first(w, r) {
			rest.ServeHTTP(w, r)
		}
	})
}

// Unowned serves paths that no service owns: the pages of owners, and what the API
// documents, which it then refuses in its own form.
func Unowned(pages func(http.ResponseWriter, *http.Request) bool, api http.Handler,
) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if pages(w, r) {
			return true
		}
		if !Documented(r.URL.Path) {
			return false
		}
		api.ServeHTTP(w, r)
		return true
	}
}
