// Package worldsettings says which settings a world of a lab may have of its own.
//
// Who has the lab's token makes worlds with settings, and an imported file brings some; neither is the operator of
// the machine. So a world sets numbers, durations, dates and switches, which bound or time what its services do, and
// a few texts that name no file, program or address to call. All other settings are the operator's: they stand in the
// lab's own configuration and hold in all its worlds. The kind of a setting comes from its type, so that a new text
// is the operator's until it is listed here.
package worldsettings
