package generate_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
)

// TestRefusalsNameWhatWasWritten: a refusal names a member as the client wrote it, and the version that it asked for.
func TestRefusalsNameWhatWasWritten(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	for body, want := range map[string]string{
		hello(`,"tools":[{"google_search":{}}]`):                                  "tools[0].google_search: ",
		hello(`,"tools":[{"googleSearch":{}}]`):                                   "tools[0].googleSearch: ",
		hello(`,"tools":[{"webSearch":{}}]`):                                      "tools[0].webSearch: ",
		hello(`,"tools":[{},{"google_maps":{}}]`):                                 "tools[1].google_maps: ",
		hello(`,"tools":[{"googleMaps":{}}]`):                                     "tools[0].googleMaps: ",
		hello(`,"tools":[{"url_context":{}}]`):                                    "tools[0].url_context: ",
		hello(`,"generation_config":{"top_p":-1}`):                                "generation_config.top_p: ",
		hello(`,"generation_config":{"topP":-1}`):                                 "generation_config.topP: ",
		hello(`,"generationConfig":{"top_p":-1}`):                                 "generationConfig.top_p: ",
		hello(`,"generation_config":{"wing_span":2}`):                             "wing_span is not a known member",
		hello(`,"safety_settings":5`):                                             "safety_settings must be an array",
		`{"contents":[{"parts":[{"function_call":{"name":"f","args":5}}]}]}`:      "contents[0].parts[0].function_call.args",
		`{"contents":[{"parts":[{"inline_data":{"mime_type":"x","data":"?"}}]}]}`: "inline_data",
	} {
		message, _ := dig(c.want(400, "POST", script+"generateContent", body), "error", "message").(string)
		if !strings.Contains(message, want) {
			t.Errorf("%s: %q, want %q", body, message, want)
		}
	}
	for _, version := range []string{"v1", "v1alpha", "v1beta"} {
		for path, method := range map[string]string{
			"/models/none:generateContent": "POST", "/models/none": "GET", "/models/stoa-script:predict": "POST",
			"/files": "POST", "/models/a/b/c": "GET", "/models/stoa-script:generateContent": "POST",
		} {
			w := c.call(method, "/"+version+path, `{"contents":[]}`)
			said := strings.ReplaceAll(w.Body.String(), "/"+version+path, "")
			if w.Code < 400 || version != "v1beta" && strings.Contains(said, "v1beta") {
				t.Errorf("%s /%s%s: %d %s", method, version, path, w.Code, w.Body)
			}
		}
		answer := c.want(404, "POST", "/"+version+"/models/none:generateContent", hello(""))
		message, _ := dig(answer, "error", "message").(string)
		if !strings.Contains(message, "for API version "+version+",") {
			t.Errorf("%s: %q", version, message)
		}
	}
}
