package conductrules

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	pages := conduct.Pages{
		Operations: []string{"models.list", "files.list", "cachedContents.list"},
		Param:      "pageToken", Member: "/nextPageToken", Size: "pageSize",
	}
	return append(uploadConduct(), []conduct.Rule{
		{
			ID: "generate.blocked-repeated", Severity: conduct.Warning, Title: "Change a prompt that was blocked",
			Why:      "The same prompt is blocked again; each try costs a request, and callers who go on are looked at.",
			Contract: "M-15: when blockReason is set the prompt was blocked and no candidates return.",
			Example:  "A prompt answered with blockReason SAFETY is sent again as it was.",
			New: conduct.Refused("was blocked", func(r *conduct.Request) bool {
				return r.Operation == "models.generateContent" && r.OK() && r.AnswerText("/promptFeedback/blockReason") != ""
			}),
		},
		{
			ID: "generate.finish-reason", Severity: conduct.Warning, Title: "Look at finishReason before asking again",
			Why: "MAX_TOKENS means that the answer was cut: the same request is cut at the same place. Raise the limit, " +
				"or go on from what is there.",
			Contract: "M-14: feedback on each candidate is in finishReason and safetyRatings.",
			Example:  "A request answered with finishReason MAX_TOKENS is sent again as it was.",
			New: conduct.Refused("ended early", func(r *conduct.Request) bool {
				return r.Operation == "models.generateContent" && r.OK() &&
					slices.Contains([]string{"MAX_TOKENS", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT"},
						r.AnswerText("/candidates/0/finishReason"))
			}),
		},
		{
			ID: "generate.file-active", Severity: conduct.Error, Title: "Wait until a file is ACTIVE",
			Why:      "A file that is still being read is refused: the first request after every upload fails.",
			Contract: "M-21: a file is PROCESSING while it is processed; clients poll until ACTIVE before using it.",
			Example:  "generateContent names a file that is PROCESSING and is answered FAILED_PRECONDITION.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					body := r.Raw().Body()
					names := strings.Contains(body, "file_uri") || strings.Contains(body, "fileUri")
					if r.Status == 400 && names && r.AnswerText("/error/status") == "FAILED_PRECONDITION" {
						b.Add(r.Line()+" named a file that was not ACTIVE", r.Past())
					}
				})
			},
		},
		{
			ID: "generate.file-polled", Severity: conduct.Info, Title: "Poll a file about once a second",
			Why:      "Processing takes seconds; polling without a pause only takes requests from the minute.",
			Contract: "M-21: clients poll until ACTIVE.",
			Example:  "GET /v1beta/files/{name} is asked twenty-one times within five seconds.",
			New: conduct.Often(20, 5*time.Second, func(r *conduct.Request) string {
				if r.Operation != "files.get" || r.AnswerText("/state") != "PROCESSING" {
					return ""
				}
				return r.Place()
			}, "processing takes seconds"),
		},
		{
			ID: "generate.pages-left", Severity: conduct.Warning, Title: "Read on while there is a nextPageToken",
			Why:      "Models, files and caches on later pages are lost in silence.",
			Contract: "docs/openapi/generate.json: lists name their next page in nextPageToken.",
			Example:  "GET /v1beta/files answers with a nextPageToken, and no request has it.",
			New:      pages.Left(),
		},
	}...)
}

// uploadConduct are the rules about uploads.
func uploadConduct() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "generate.upload-restarted", Severity: conduct.Warning, Title: "Resume an upload instead of starting again",
			Why: "What has arrived is kept: the command query tells how much. Starting again sends it all twice and " +
				"leaves an open session that counts.",
			Contract: "M-25, M-27: an upload is resumable at its address, with the offset of what follows.",
			Example:  "A chunk is answered 503, and the client starts a second upload of the same file.",
			New:      uploadRestarted,
		},
		{
			ID: "generate.same-upload", Severity: conduct.Info, Title: "Upload the same bytes once",
			Why:      "A file stays for 48 hours and can be named in any number of requests.",
			Contract: "M-29: an uploaded file can be referenced in file_data parts.",
			Example:  "Two finished uploads have the same sha256Hash.",
			New: func(b *conduct.Breaches) conduct.Check {
				var files conduct.Memory[string, conduct.Past]
				return conduct.Each(func(r *conduct.Request) {
					if r.Operation == "files.delete" && r.OK() {
						files = conduct.Memory[string, conduct.Past]{}
					}
					if !isUpload(r) || !r.OK() || r.AnswerText("/file/sha256Hash") == "" {
						return
					}
					hash := r.AnswerText("/file/sha256Hash")
					if before, ok := files.Get(hash); ok && r.Follows(before) {
						b.Add(r.Line()+" finished a file with bytes that were uploaded before", before, r.Past())
					}
					files.Put(hash, r.Past())
				})
			},
		},
	}
}

func isUpload(r *conduct.Request) bool {
	return r.Operation == "media.upload" || r.Operation == "media.uploadPut"
}

// begunUpload is an upload that is not finished.
type begunUpload struct {
	what  string // who uploads what
	begun conduct.Past
}

// uploadRestarted looks for a second start of what was broken off.
func uploadRestarted(b *conduct.Breaches) conduct.Check {
	var sessions conduct.Memory[string, begunUpload] // by the id in their address
	var broken conduct.Memory[string, begunUpload]   // by what is uploaded
	return conduct.Each(func(r *conduct.Request) {
		if !isUpload(r) {
			return
		}
		command := r.Raw().HeaderEnding("-Upload-Command")
		id := r.Param("upload_id")
		if id == "" && strings.Contains(command, "start") && r.OK() {
			what := r.Digest(r.Who(), r.Raw().HeaderEnding("-Upload-Header-Content-Length"),
				r.Raw().HeaderEnding("-Upload-Header-Content-Type"), r.Raw().Body())
			if before, ok := broken.Get(what); ok && r.Follows(before.begun) {
				b.Add(r.Line()+" started an upload again that had been broken off", before.begun, r.Past())
				broken.Delete(what)
			}
			if address, err := url.Parse(r.Raw().AnswerHeaderEnding("-Upload-Url")); err == nil {
				sessions.Put(address.Query().Get("upload_id"), begunUpload{what, r.Past()})
			}
			return
		}
		s, ok := sessions.Get(id)
		if !ok {
			return
		}
		switch failed := r.Lost() || r.Status >= 500; {
		case failed:
			broken.Put(s.what, s)
		case r.OK():
			broken.Delete(s.what)
		}
	})
}
