// Package servicename finds the services that commands name.
package servicename
