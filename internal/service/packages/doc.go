// Package packages serves package insights.
package packages
