package app

import (
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/console/administration"
)

// settings are what is in force, for the console.
func (a *App) settings() []administration.Setting {
	var list []administration.Setting
	defaults := DefaultConfig()
	for _, e := range settings.List(&a.config, &defaults) {
		list = append(list, administration.Setting{
			Name: e.Path, Variable: e.Variable, Value: e.Value, Default: e.Default, Changed: e.Changed,
		})
	}
	return list
}
