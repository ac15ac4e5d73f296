// Package reserved names the variables that look like settings of the program and are none.
package reserved
