package articles

type previewRequest struct {
	RawBody string `json:"raw_body"`
}
