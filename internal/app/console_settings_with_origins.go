package app

import (
	"cmp"
	"os"

	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/console/administration"
)

// fromProgram is the origin where no file, variable or flag is known: worlds of a lab are made by the lab.
const fromProgram settings.Origin = "program"

// settings are what is in force, for the console.
func (a *App) settings() []administration.Setting {
	var list []administration.Setting
	defaults := DefaultConfig()
	words := settings.Meanings()
	for _, e := range settings.List(&a.config, &defaults) {
		origin := cmp.Or(a.options.Origins[e.Path], settings.FromDefault)
		if origin == settings.FromDefault && e.Changed {
			origin = fromProgram
		}
		list = append(list, administration.Setting{
			Name: e.Path, Variable: e.Variable, Value: e.Value, Default: e.Default, Changed: e.Changed,
			Meaning: words[e.Path], Origin: string(origin),
		})
	}
	return list
}

// Origins says where the settings of a configuration come from; nil when the file cannot
// be read any more.
func Origins(file string, environ []string, c Config) map[string]settings.Origin {
	loaded, err := LoadConfig(file, environ)
	if err != nil {
		return nil
	}
	given := settings.Given{Environ: environ, Loaded: &loaded}
	if file != "" {
		if given.File, err = os.ReadFile(file); err != nil {
			return nil
		}
	}
	return settings.Origins(&c, given)
}
