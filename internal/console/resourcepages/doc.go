// Package resourcepages makes the pages about the things that services hold: a list,
// one thing, a form or a question for every action, and weeks and months of what has
// a time. It is made of the descriptions in module.Module.Resources and knows no
// service.
//
// What a page shows or does is a call of the service's own handler inside the process,
// with a credential that speaks for the signed-in user (identity.SessionCredential), or
// of an operator command, for administrators alone and only where a resource names it.
// The page shows the call, so that it can be repeated with curl or on the command line.
//
// The package makes the content of pages; frame, session, form token and limits of
// forms are the console's.
package resourcepages
