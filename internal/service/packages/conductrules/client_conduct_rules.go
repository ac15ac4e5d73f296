package conductrules

import (
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "packages.one-by-one", Severity: conduct.Info, Title: "Ask for many versions in one batch",
			Why:      "A lock file of a thousand entries is one request as a batch and a thousand without.",
			Contract: "B-43, B-51: GetVersionBatch takes up to 5000 versions.",
			Example:  "A hundred and one GetVersion calls within a minute.",
			New:      oneByOne("GetVersion", "GetVersionBatch takes 5000 at once"),
		},
		{
			ID: "packages.purls-one-by-one", Severity: conduct.Info, Title: "Look many package URLs up in one batch",
			Why:      "An inventory of a thousand components is one request as a batch and a thousand without.",
			Contract: "B-49, B-51: PurlLookupBatch takes up to 5000 versioned package URLs.",
			Example:  "A hundred and one PurlLookup calls within a minute.",
			New:      oneByOne("PurlLookup", "PurlLookupBatch takes 5000 at once"),
		},
		{
			ID: "packages.pages-left", Severity: conduct.Warning, Title: "Read a batch to its last page",
			Why:      "What is on the later pages looks like packages that are not known.",
			Contract: "B-52: large results are paginated; the next page takes pageToken from the answer before.",
			Example:  "POST /v3alpha/versionbatch answers with a nextPageToken, and no request has it.",
			New:      batchLeft,
		},
		{
			ID: "packages.page-changed", Severity: conduct.Error, Title: "Repeat a batch unchanged for its next page",
			Why: "A token belongs to one list of requests: with another it is refused, or gives answers to other " +
				"questions.",
			Contract: "B-52: for the next page every other field is identical to the first request.",
			Example:  "The second page of a batch is asked for with a shorter list of requests.",
			New:      batchChanged,
		},
		{
			ID: "packages.fresh", Severity: conduct.Info, Title: "Keep answers as long as Cache-Control says",
			Why:      "A published version does not change within the minute that answers may be kept.",
			Contract: "B-38: lookups are read-only; RFC 9111, 4.2: an answer is fresh for max-age.",
			Example:  "The same GetVersion is asked four times within a minute.",
			New:      conduct.Fresh(3),
		},
	}
}

func oneByOne(operation, words string) func(*conduct.Breaches) conduct.Check {
	const many = 100
	return conduct.Often(many, time.Minute, func(r *conduct.Request) string {
		if r.Operation != operation {
			return ""
		}
		return "one by one " + r.Who()
	}, words)
}

func isBatch(r *conduct.Request) bool {
	return (r.Operation == "GetVersionBatch" || r.Operation == "PurlLookupBatch" || r.Operation == "GetProjectBatch") &&
		!r.RequestCut
}

// batchLeft remembers pages that were announced until they are asked for.
func batchLeft(b *conduct.Breaches) conduct.Check {
	announced := conduct.Open{Words: "announced another page, which was not asked for"}
	return conduct.Check{
		See: func(r *conduct.Request) {
			if !isBatch(r) {
				return
			}
			if token, _ := r.Body("/pageToken").(string); token != "" {
				announced.Close(r.Digest(token))
			}
			if token := r.AnswerText("/nextPageToken"); token != "" && r.OK() {
				announced.Add(r.Digest(token), r)
			}
		},
		End: func() { announced.Report(b) },
	}
}

// batchChanged compares the list of requests with the one that a token came from.
func batchChanged(b *conduct.Breaches) conduct.Check {
	type batch struct {
		list  string
		asked conduct.Past
	}
	var tokens conduct.Memory[string, batch]
	return conduct.Each(func(r *conduct.Request) {
		if !isBatch(r) {
			return
		}
		list := r.Digest(r.Operation, conduct.Text(r.Body("/requests")))
		if token, _ := r.Body("/pageToken").(string); token != "" {
			if first, ok := tokens.Get(r.Digest(token)); ok && first.list != list && r.Follows(first.asked) {
				b.Add(r.Line()+" has a page token of another list of requests", first.asked, r.Past())
			}
		}
		if token := r.AnswerText("/nextPageToken"); token != "" && r.OK() {
			tokens.Put(r.Digest(token), batch{list, r.Past()})
		}
	})
}
