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
// No sign-in is needed. Nothing is loaded from outside: one style sheet and, on
// the reference pages only, one script, both part of the program.
package manual
