package analytics

import "stoa.dev/stoa/internal/platform/oauth"

func errClient(c oauth.Client) *oauth.Error {
	return oauth.BadClient(c, "The client is unknown or its secret is wrong.")
}
