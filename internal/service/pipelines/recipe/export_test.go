package recipe

// Parse reads the text of a pipeline.yml that uses no orbs but its own.
func Parse(src []byte) (*File, error) { return Options{Name: "pipeline.yml"}.Parse(src) }
