package stoatest

import (
	"net/http"
)

// Settings are what a client of one service is configured with: an official SDK, or
// the code under test. In a world without the demo there are no credentials until
// WithToken gives one, such as that of a seed file.
type Settings struct {
	// URL is the base address as the service's SDK for Go takes it; of the
	// key-management plugin it is the target of a gRPC connection.
	URL string
	// Token is the credential; Secret belongs to it where there are two: the application
	// key of Snapshots and the client secret of Device, whose Token is the client's id.
	Token, Secret string
	// Header is the credential as the service takes it; empty where it takes none.
	Header http.Header
	// Env are the variables that official clients read by themselves.
	Env map[string]string

	name, secretName, prefix string // of the headers
	envNames                 map[string]string
}

// HTTPClient sends the credential with every request: for SDKs that take a client.
func (s Settings) HTTPClient() *http.Client {
	return &http.Client{Transport: credentials(s.Header.Clone())}
}

// credentials is a transport that adds headers where a request has none of the name.
type credentials http.Header

func (c credentials) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	for name, values := range c {
		if sent.Header.Get(name) == "" {
			sent.Header[name] = values
		}
	}
	return http.DefaultTransport.RoundTrip(sent)
}

// WithToken is the same settings with another credential.
func (s Settings) WithToken(token string) Settings {
	s.Token = token
	return s.fill()
}

// fill makes header and variables of the credential.
func (s Settings) fill() Settings {
	s.Header = http.Header{}
	if s.name != "" && s.Token != "" {
		s.Header.Set(s.name, s.prefix+s.Token)
	}
	if s.secretName != "" && s.Secret != "" {
		s.Header.Set(s.secretName, s.Secret)
	}
	s.Env = map[string]string{}
	for name, what := range s.envNames {
		s.Env[name] = map[string]string{"url": s.URL, "token": s.Token, "secret": s.Secret}[what]
	}
	return s
}

func (w *TestWorld) bearer(path string) Settings {
	return Settings{URL: w.URL + path, Token: w.Env["STOA_TOKEN"], name: "Authorization", prefix: "Bearer "}.fill()
}

// KMS is the key-management plugin: grpc.NewClient(world.KMS().URL, …).
func (w *TestWorld) KMS() Settings { return Settings{URL: "unix:" + w.KMSSocket}.fill() }

// Packages is the package insights service; it takes no credential.
func (w *TestWorld) Packages() Settings { return Settings{URL: w.URL}.fill() }

// Tasks is the task lists: option.WithEndpoint(s.URL), option.WithHTTPClient(s.HTTPClient()).
func (w *TestWorld) Tasks() Settings { return w.bearer("") }

// Labels is the label limits: option.WithEndpoint(s.URL), option.WithHTTPClient(s.HTTPClient()).
func (w *TestWorld) Labels() Settings { return w.bearer("") }

// Calendar is the calendars: option.WithEndpoint(s.URL), option.WithHTTPClient(s.HTTPClient()).
func (w *TestWorld) Calendar() Settings { return w.bearer("/calendar/v3/") }

// Articles is the articles.
func (w *TestWorld) Articles() Settings { return w.bearer("") }

// Analytics is the analytics API.
func (w *TestWorld) Analytics() Settings { return w.bearer("") }

// Events is the code host and its feeds. The URL ends with a slash, as its SDK wants.
func (w *TestWorld) Events() Settings {
	s := w.bearer("/")
	s.envNames = map[string]string{"GITHUB_TOKEN": "token", "GITHUB_API_URL": "url"}
	return s.fill()
}

// GitHub is Events by the name of its SDK.
func (w *TestWorld) GitHub() Settings { return w.Events() }

// APIKeys is the refresh of API keys; Token is a key that can be refreshed.
func (w *TestWorld) APIKeys() Settings { return w.bearer("").WithToken(w.Env["STOA_SCHEDULING_KEY"]) }

// Pipelines is the builds.
func (w *TestWorld) Pipelines() Settings {
	return Settings{
		URL: w.URL, Token: w.Env["STOA_PIPELINE_TOKEN"], name: "Pipeline-Token",
		envNames: map[string]string{"CIRCLECI_CLI_HOST": "url", "CIRCLECI_CLI_TOKEN": "token"},
	}.fill()
}

// Snapshots is the metric graphs; Token is the API key, Secret the application key.
func (w *TestWorld) Snapshots() Settings {
	return Settings{
		URL: w.URL, Token: w.Env["STOA_API_KEY"], Secret: w.Env["STOA_APP_KEY"], name: "SVC-API-KEY",
		secretName: "SVC-APPLICATION-KEY", envNames: map[string]string{"DD_API_KEY": "token", "DD_APP_KEY": "secret"},
	}.fill()
}

// Device is the device flow; Token is the client's id, Secret its secret. Codes are at
// URL + "/device/code", tokens at URL + "/token".
func (w *TestWorld) Device() Settings {
	return Settings{
		URL: w.URL, Token: w.Env["STOA_DEVICE_CLIENT_ID"], Secret: w.Env["STOA_DEVICE_CLIENT_SECRET"],
	}.fill()
}

// Generate is the generative models.
func (w *TestWorld) Generate() Settings {
	return Settings{
		URL: w.URL, Token: w.Env["STOA_MODEL_KEY"], name: "X-Goog-Api-Key",
		envNames: map[string]string{"GEMINI_API_KEY": "token", "GOOGLE_GEMINI_BASE_URL": "url"},
	}.fill()
}

// Services are the settings of every service by its name.
func (w *TestWorld) Services() map[string]Settings {
	return map[string]Settings{
		"kms": w.KMS(), "packages": w.Packages(), "tasks": w.Tasks(), "labels": w.Labels(), "snapshots": w.Snapshots(),
		"articles": w.Articles(), "pipelines": w.Pipelines(), "calendar": w.Calendar(), "events": w.Events(),
		"device": w.Device(), "analytics": w.Analytics(), "apikeys": w.APIKeys(), "generate": w.Generate(),
	}
}
