package machineconfig

func (f *Finder) pypiSteps() []step {
	read := func(text string) []string { return one(setting(text, "index-url")) }
	// Asking pip for a value that is not set fails; its built-in index is in
	// its own code, which the interpreter that runs pip can be asked for.
	const builtin = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
	return []step{
		f.env("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"),
		f.file(read, f.o.Getenv("PIP_CONFIG_FILE"), f.below("XDG_CONFIG_HOME", "pip", "pip.conf"),
			f.home(".config", "pip", "pip.conf"), f.home(".pip", "pip.conf"), "/etc/pip.conf"),
		f.ask(webLines, "pip", "config", "get", "global.index-url"),
		f.ask(webLines, "python3", "-c", builtin),
		f.ask(webLines, "python", "-c", builtin),
	}
}
