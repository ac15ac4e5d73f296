package origins

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// Locate begins each line of a message about the configuration with the places of the settings
// that it names. A file that can no longer be read tells no places.
func Locate(message, file string, environ []string, flags *pflag.FlagSet) string {
	config := app.DefaultConfig()
	s := settings.Sources{Config: &config, File: file, Environ: environ, Flags: given(flags)}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return message
		}
		s.Text = text
	}
	head := app.ErrConfig.Error() + ": "
	rest, found := strings.CutPrefix(message, head)
	if !found {
		return settings.Locate(message, s)
	}
	return head + settings.Locate(rest, s)
}

// overrides are the settings that flags override, by the flag.
func overrides() map[string]string {
	return map[string]string{
		"data": "data", "database": "database.url", "listen": "listen.http", "https": "listen.https",
		"kms-socket": "listen.kms", "dialect": "dialect", "log": "log.format", "offline": "offline",
	}
}

// Flag is the flag that overrides a setting, empty where there is none.
func Flag(setting string) string {
	for flag, overridden := range overrides() {
		if overridden == setting {
			return "--" + flag
		}
	}
	return ""
}

// given are the flags of this command that were given, by the setting that each overrides.
func given(flags *pflag.FlagSet) map[string]string {
	found := map[string]string{}
	for flag, setting := range overrides() {
		if flags.Changed(flag) {
			found[setting] = "--" + flag
		}
	}
	return found
}
