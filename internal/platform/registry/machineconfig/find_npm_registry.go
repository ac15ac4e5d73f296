package machineconfig

func (f *Finder) npmSteps() []step {
	read := func(text string) []string { return one(setting(text, "registry")) }
	return []step{
		f.env("npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER"),
		f.file(read, f.o.Getenv("NPM_CONFIG_USERCONFIG"), f.home(".npmrc"), "/etc/npmrc", "/usr/local/etc/npmrc"),
		f.ask(webLines, "npm", "config", "get", "registry"),
	}
}
