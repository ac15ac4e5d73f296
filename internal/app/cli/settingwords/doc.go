// Package settingwords says what a setting means, which values it takes, and what it is here and why.
package settingwords
