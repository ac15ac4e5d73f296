package app

import "strings"

// LinkWarning says what is wrong with the address in links, empty when nothing is: without
// base_url it is that of the plain listener, whatever a request came by. HTTPS on loopback
// and a free port, as in demo worlds, has no address that could be configured.
func (c Config) LinkWarning(link string) string {
	switch {
	case c.BaseURL != "":
		return ""
	case !c.Listen.LoopbackOnly() && loopbackURL(link):
		return "other machines can reach this server, but links lead to " + link + ", which is their own loopback"
	case c.Listen.HTTPS != "" && (!c.Listen.LoopbackOnly() || !strings.HasSuffix(c.Listen.HTTPS, ":0")):
		return "links lead to " + link + ", also in answers over HTTPS"
	}
	return ""
}

// warnLinks tells the operator once, at the start. A world of a lab has addresses of its own.
func (a *App) warnLinks() {
	if a.options.LabWorld != "" || a.options.ThrowAway != "" {
		return
	}
	if warning := a.config.LinkWarning(a.URL()); warning != "" {
		a.world.Telemetry.Log.Warn(warning, "next", "set base_url (STOA_BASE_URL) to the address that clients use")
	}
}
