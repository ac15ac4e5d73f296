// Package ignoredvariables names the variables that look like settings of the program and are none.
package ignoredvariables
