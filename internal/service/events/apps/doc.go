// Package apps lets applications act for themselves: an app has a private key, is
// installed on accounts, and gets tokens that are good for an hour.
//
// An app signs a JSON Web Token (RS256) whose issuer is its number or its client id, and
// which lives ten minutes at most. With it the app reads about itself and its
// installations and makes installation tokens. Those have at most the permissions of
// the app, and of them and of the repositories of the installation as few as is asked.
//
// Permissions are the scopes of the service in the words of apps: {"contents":"write"}
// is contents:write, which includes contents:read. metadata:read always comes with them.
package apps
