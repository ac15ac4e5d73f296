package generate

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/local"
	"stoa.dev/stoa/internal/service/generate/files"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// decode reads a body whose members may be spelt either way; unknown members are
// refused.
func (s *Service) decode(r *route.Request, dst any) error {
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return err
	}
	options := []wire.Option{wire.DisallowUnknown()}
	if w, ok := r.Body.(wire.Weigher); ok {
		// The shapes of this API are larger than what a value stands for.
		options = append(options, wire.Weighed(w))
	}
	return wire.DecodeJSON(api.CamelNames(raw, s.brand), dst, options...)
}

// header reads a protocol header under any of its spellings.
func (s *Service) header(r *route.Request, w dialect.Word) string {
	return s.spellings.Get(r.Header, w)
}

// setHeader answers in the contract's spelling, and beside it in the brand's
// where clients expect that.
func (s *Service) setHeader(w http.ResponseWriter, word dialect.Word, value string) {
	w.Header().Set(s.world.Dialect.NeutralOf(word), value)
	w.Header().Set(s.world.Dialect.Says(word), value)
}

// modelJSON is Model of the public API.
type modelJSON struct {
	Name                       string   `json:"name"`
	BaseModelID                string   `json:"baseModelId,omitempty"`
	Version                    string   `json:"version"`
	DisplayName                string   `json:"displayName,omitempty"`
	Description                string   `json:"description,omitempty"`
	InputTokenLimit            int      `json:"inputTokenLimit"`
	OutputTokenLimit           int      `json:"outputTokenLimit,omitempty"`
	SupportedGenerationMethods []string `json:"supportedGenerationMethods"`
	Temperature                float64  `json:"temperature,omitempty"`
	MaxTemperature             float64  `json:"maxTemperature,omitempty"`
	TopP                       float64  `json:"topP,omitempty"`
	TopK                       int      `json:"topK,omitempty"`
	Thinking                   bool     `json:"thinking,omitempty"`
}

func modelToWire(id string, m api.Model) modelJSON {
	j := modelJSON{
		Name: "models/" + id, Version: modelVersion(m), DisplayName: m.DisplayName, Description: m.Description,
		InputTokenLimit: m.InputTokenLimit, OutputTokenLimit: m.OutputTokenLimit,
		SupportedGenerationMethods: supportedMethods(m), Thinking: m.Thinking,
	}
	if id != m.ID {
		j.BaseModelID = m.ID
	}
	if !m.Embeddings {
		j.Temperature, j.MaxTemperature = local.DefaultTemperature, 2
		j.TopP, j.TopK = local.DefaultTopP, local.DefaultTopK
	}
	return j
}

// fileJSON is File of the public API.
type fileJSON struct {
	Name           string         `json:"name"`
	DisplayName    string         `json:"displayName,omitempty"`
	MimeType       string         `json:"mimeType"`
	SizeBytes      string         `json:"sizeBytes"`
	CreateTime     string         `json:"createTime"`
	UpdateTime     string         `json:"updateTime"`
	ExpirationTime string         `json:"expirationTime"`
	SHA256Hash     string         `json:"sha256Hash"`
	URI            string         `json:"uri"`
	State          files.State    `json:"state"`
	Source         string         `json:"source"`
	Error          *fileErrorJSON `json:"error,omitempty"`
}

type fileErrorJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func fileToWire(f files.File, base string) fileJSON {
	j := fileJSON{
		Name: files.Prefix + f.ID, DisplayName: f.DisplayName, MimeType: f.MimeType,
		SizeBytes:  strconv.FormatInt(f.Size, 10),
		CreateTime: stamp(f.CreatedAt), UpdateTime: stamp(f.UpdatedAt), ExpirationTime: stamp(f.ExpiresAt),
		SHA256Hash: base64.StdEncoding.EncodeToString([]byte(f.SHA256)),
		URI:        base + "/v1beta/" + files.Prefix + f.ID, State: f.State, Source: "UPLOADED",
	}
	if f.State == files.Failed {
		j.Error = &fileErrorJSON{Code: 3, Message: f.Error}
	}
	return j
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// cacheJSON is CachedContent of the public API, in both directions.
type cacheJSON struct {
	Name              string           `json:"name,omitempty"`
	Model             string           `json:"model,omitempty"`
	DisplayName       string           `json:"displayName,omitempty"`
	Contents          []api.Content    `json:"contents,omitempty"`
	SystemInstruction *api.Content     `json:"systemInstruction,omitempty"`
	Tools             []api.Tool       `json:"tools,omitempty"`
	ToolConfig        *api.ToolConfig  `json:"toolConfig,omitempty"`
	TTL               string           `json:"ttl,omitempty"`
	ExpireTime        string           `json:"expireTime,omitempty"`
	CreateTime        string           `json:"createTime,omitempty"`
	UpdateTime        string           `json:"updateTime,omitempty"`
	UsageMetadata     *json.RawMessage `json:"usageMetadata,omitempty"`
}

func cacheToWire(c Cache) cacheJSON {
	usage := json.RawMessage(fmt.Sprintf(`{"totalTokenCount":%d}`, tokens.FromDetails(c.Tokens).Total()))
	return cacheJSON{
		Name: cachePrefix + c.ID, Model: c.Model, DisplayName: c.DisplayName, ExpireTime: stamp(c.ExpiresAt),
		CreateTime: stamp(c.CreatedAt), UpdateTime: stamp(c.UpdatedAt), UsageMetadata: &usage,
	}
}

// expiry reads ttl ("300s") and expireTime.
func (j cacheJSON) expiry() (e Expiry, err error) {
	if j.TTL != "" {
		seconds, found := strings.CutSuffix(j.TTL, "s")
		n, err := strconv.ParseFloat(seconds, 64)
		if !found || err != nil || !(n > 0 && n < 1e9) {
			return e, api.ErrInvalidField("ttl", "%q is not a duration in seconds such as 300s", j.TTL)
		}
		ttl := time.Duration(n * float64(time.Second))
		e.TTL = &ttl
	}
	if j.ExpireTime != "" {
		at, err := time.Parse(time.RFC3339Nano, j.ExpireTime)
		if err != nil {
			return e, api.ErrInvalidField("expireTime", "%q is not a time in RFC 3339", j.ExpireTime)
		}
		at = at.UTC().Truncate(time.Microsecond)
		e.At = &at
	}
	return e, nil
}

func statusOf(c api.Code) int {
	switch c {
	case api.CodeInvalidArgument, api.CodeFailedPrecondition:
		return http.StatusBadRequest
	case api.CodePermissionDenied:
		return http.StatusForbidden
	case api.CodeNotFound:
		return http.StatusNotFound
	case api.CodeExhausted:
		return http.StatusTooManyRequests
	case api.CodeUnavailable:
		return http.StatusServiceUnavailable
	case api.CodeDeadline:
		return http.StatusGatewayTimeout
	case api.CodeInternal:
	}
	return http.StatusInternalServerError
}

// writeError is the service's envelope. A stream that is not server-sent
// events is an array, also when all it holds is an error.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	f := s.faultOf(r, err)
	var session *files.SessionError
	if errors.As(err, &session) {
		s.setHeader(w, dialect.UploadStatus, string(session.State))
	}
	if r.Route != nil && r.Route.Name == streamRoute && r.Query().Get("alt") != "sse" {
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
		}
		w.Header().Set("Cache-Control", "no-store")
		body := append(append([]byte{'['}, fault.Body(f)...), ']')
		// Only the connection can fail here.
		_ = wire.WriteBytes(w, r.Request, f.Code, "application/json; charset=UTF-8", body)
		return
	}
	fault.Write(w, r, f)
}

// faultOf is an error in the words of the API.
func (s *Service) faultOf(r *route.Request, err error) fault.Fault {
	var (
		own        *api.Error
		session    *files.SessionError
		credential *route.CredentialError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	f := fault.Common(r, err)
	switch {
	case errors.As(err, &own):
		f = fault.New(statusOf(own.Code), string(own.Code), own.Message)
		f.RetryAfter = own.RetryAfter
		if own.Field != "" {
			f.Details = []any{s.badRequest(own.Field, own.Message)}
		}
	case errors.As(err, &session):
		f = fault.New(session.Status, string(api.CodeFailedPrecondition), session.Message)
		if session.Status == files.StatusNotFound {
			f.Status = string(api.CodeNotFound)
		}
	case errors.Is(err, route.ErrNoCredential):
		f = fault.New(http.StatusForbidden, string(api.CodePermissionDenied),
			"method doesn't allow callers without established identity; send an API key in the query parameter key "+
				"or in the header "+s.world.Dialect.Says(dialect.ModelKey))
	case errors.As(err, &credential):
		f = fault.New(http.StatusBadRequest, string(api.CodeInvalidArgument),
			"API key not valid ("+credential.Reason+"). Please pass a valid API key.")
		f.Details = []any{s.detail("ErrorInfo", map[string]any{
			"reason": "API_KEY_INVALID", "domain": s.world.Dialect.Says(dialect.ErrorDomain),
			"metadata": map[string]string{"service": s.world.Dialect.Says(dialect.ModelService)},
		})}
	case errors.As(err, &exceeded):
		f = s.quotaFault(exceeded)
	case errors.As(err, &syntax):
		f.Details = []any{s.badRequest(syntax.Field, syntax.Reason)}
	}
	f.Reason = "" // this API's errors have no list of older reasons
	return f
}

func (s *Service) quotaFault(e *limit.Exceeded) fault.Fault {
	wait := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
	f := fault.New(http.StatusTooManyRequests, string(api.CodeExhausted), fmt.Sprintf(
		"you exceeded your current quota: %s, limit %d. Please retry in %ds.", e.Name, e.Limit, wait))
	f.RetryAfter = e.RetryAfter
	f.Details = []any{
		s.detail("QuotaFailure", map[string]any{"violations": []map[string]string{{
			"quotaMetric": s.world.Dialect.Says(dialect.ModelService) + "/" + e.Name,
			"quotaId":     e.Name, "quotaValue": strconv.FormatInt(e.Limit, 10),
		}}}),
		s.detail("RetryInfo", map[string]any{"retryDelay": strconv.Itoa(wait) + "s"}),
	}
	return f
}

func (s *Service) badRequest(field, description string) map[string]any {
	return s.detail("BadRequest", map[string]any{
		"fieldViolations": []map[string]string{{"field": snakeName(field), "description": description}},
	})
}

func (s *Service) detail(kind string, members map[string]any) map[string]any {
	members["@type"] = s.world.Dialect.Says(dialect.DetailType) + kind
	return members
}

// snakeName is how violations spell a field.
func snakeName(field string) string {
	var out strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
