//go:build !linux

package machine

func synchronized() (yes, known bool) { return false, false }
