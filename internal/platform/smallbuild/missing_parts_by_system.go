package smallbuild

// Sandbox is what runs the jobs of pipelines confined.
const Sandbox = "sandbox of pipelines"

// OnSystem lists what every build is without there: the sandbox is made by Linux, and the
// engine is compiled for x86-64 alone.
func OnSystem(system, processor string) []string {
	switch {
	case system != "linux":
		return []string{Sandbox, LocalModels}
	case processor != "amd64":
		return []string{LocalModels}
	}
	return nil
}
