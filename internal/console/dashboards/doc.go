// Package dashboards draws metrics in the console: a page that draws one query, and
// dashboards of several graphs that each user keeps.
//
// A graph is a title, a query and a span of time. Its picture is drawn when a page shows
// it, by the service whose resources name an action that draws (resource.Action.Graph),
// as a call of the signed-in user: what the user may not read is not drawn, and the calls
// count against the user's limits. Only titles, queries and spans are stored here.
//
// Administrators have a page of the server's own metrics too, which is a dashboard that
// is part of the program.
package dashboards
