// Package manual serves the documentation that the binary carries.
//
//	GET /docs/                        the first page
//	GET /docs/{page}                  a page, as docs/{page}.md
//	GET /docs/services/{service}      a service's page
//	GET /docs/reference/{service}     its operations, with a form to try each
//	GET /docs/openapi/{service}.json  its OpenAPI description
//
// Pages are the Markdown files of the docs folder, rendered when first asked
// for and kept. Links between files become links between pages; links that
// lead out of the folder, into the source, become plain text. Services appear
// by themselves: their list comes from the modules.
//
// No sign-in is needed. Nothing is loaded from outside: one style sheet, one script
// for search, copying and tabs, and on the reference pages a second one, all part of
// the program. GET /docs/search.json is what the search reads: every section of every
// page and every operation, made from the files when first asked for.
package manual
