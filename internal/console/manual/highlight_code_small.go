//go:build small

package manual

import "html"

// highlighted is the code as HTML without colours: the small build knows no languages.
func highlighted(_, code string) string { return html.EscapeString(code) }
