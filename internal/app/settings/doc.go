// Package settings fills a configuration struct from a YAML file and then from
// the environment, and prints the result.
//
// The struct is the only description: its yaml tags give both the keys of the
// file and the names of the environment variables (listen.http becomes
// STOA_LISTEN_HTTP), and a `secret:"true"` tag masks a value when printed.
// Unknown keys in the file are refused with their line. A variable that begins with
// a section or is nearly the name of a setting is refused with the nearest name;
// others are left alone, because a shell may hold variables of other programs. An
// empty variable is as good as none.
//
// What the values mean, and whether they make sense together, is decided by
// the packages that own them.
package settings
