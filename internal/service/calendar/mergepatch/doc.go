// Package mergepatch applies JSON merge patches (RFC 7396).
package mergepatch
