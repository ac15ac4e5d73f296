package machineconfig

import "strings"

// setting finds "key = value" in files of the INI family.
func setting(text, key string) string {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), key) {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// webLines keeps the lines that are web addresses.
func webLines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
			list = append(list, line)
		}
	}
	return list
}

func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
