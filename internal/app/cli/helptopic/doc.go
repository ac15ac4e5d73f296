// Package helptopic is the command help, which refuses words that name no command.
package helptopic
