package generate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

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
