// Package origins says where the operator gave the settings that a message is about: in which
// line of the configuration file, as which variable or as which flag.
package origins
