package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are models, files, caches, batches and what was asked.
func All() []resource.Resource {
	return []resource.Resource{models(), files(), caches(), batches(), fetched()}
}

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func paging() resource.Paging {
	return resource.Paging{Token: "pageToken", Next: "/nextPageToken", Size: "pageSize", Per: 50}
}

func models() resource.Resource {
	return resource.Resource{
		Name: "models", Title: "Models", One: "a model", Empty: "There are no models. Fetch one with stoa models pull.",
		About: "What answers prompts. Chat with one, or count the tokens of a text.",
		List:  call("models.list"), Items: "/models", Paging: paging(), Get: call("models.get"),
		Key: []resource.Key{{Parameter: "model", Pointer: "/name", Prefix: "models/"}}, Label: "/displayName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/displayName"}, {Title: "Model", Pointer: "/name", Kind: resource.Code},
			{Title: "Description", Pointer: "/description"}, {Title: "Input tokens", Pointer: "/inputTokenLimit"},
			{Title: "Methods", Pointer: "/supportedGenerationMethods"},
		},
		Actions: []resource.Action{
			{
				Name: "chat", Title: "Chat", One: true, Shows: true, Call: call("models.generateContent"),
				Text:   "Every message is sent with those before it. The conversation lives in this page: nothing is stored.",
				Fields: []resource.Field{{Name: "message", Title: "Message", Kind: resource.Multiline, Required: true}},
				Chat: &resource.Chat{
					Turns: "contents", Role: "role", Text: "parts/0/text", Asker: "user", Answerer: "model",
					Answer: "/candidates/0/content/parts/0/text", Used: "/usageMetadata/totalTokenCount",
				},
			},
			{Name: "count", Title: "Count tokens", One: true, Shows: true, Call: call("models.countTokens"),
				Fields: []resource.Field{
					{Name: "contents/0/parts/0/text", Title: "Text", Kind: resource.Multiline, Required: true},
				}},
		},
	}
}

func files() resource.Resource {
	return resource.Resource{
		Name: "files", Title: "Files", One: "a file", Empty: "No file was uploaded yet. Upload one by API.",
		About: "What was uploaded for prompts, each until it expires.",
		List:  call("files.list"), Items: "/files", Paging: paging(), Get: call("files.get"),
		Key: []resource.Key{{Parameter: "file", Pointer: "/name", Prefix: "files/"}}, Label: "/displayName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/displayName", Or: "/name"}, {Title: "Type", Pointer: "/mimeType"},
			{Title: "Size", Pointer: "/sizeBytes", Kind: resource.Bytes},
			{Title: "State", Pointer: "/state", Kind: resource.State},
			{Title: "Expires", Pointer: "/expirationTime", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("files.delete")},
		},
	}
}

func caches() resource.Resource {
	return resource.Resource{
		Name: "caches", Title: "Caches", One: "a cache", Empty: "Nothing is cached yet. Add a cache by API.",
		About: "Beginnings of prompts that requests can name, each until it expires.",
		List:  call("cachedContents.list"), Items: "/cachedContents", Paging: paging(), Get: call("cachedContents.get"),
		Key: []resource.Key{{Parameter: "cache", Pointer: "/name", Prefix: "cachedContents/"}}, Label: "/displayName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/displayName", Or: "/name"}, {Title: "Model", Pointer: "/model"},
			{Title: "Expires", Pointer: "/expireTime", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("cachedContents.delete")},
		},
	}
}

func batches() resource.Resource {
	return resource.Resource{
		Name: "batches", Title: "Batches", One: "a batch", Empty: "No batch was made yet. Make one by API.",
		About: "Many requests at once, answered in the background.",
		List:  call("batches.list"), Items: "/operations", Paging: paging(), Get: call("batches.get"),
		Key: []resource.Key{{Parameter: "batch", Pointer: "/name", Prefix: "batches/"}}, Label: "/metadata/displayName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/metadata/displayName", Or: "/name"}, {Title: "Model", Pointer: "/metadata/model"},
			{Title: "State", Pointer: "/metadata/state", Kind: resource.State},
			{Title: "Requests", Pointer: "/metadata/batchStats/requestCount"},
			{Title: "Failed", Pointer: "/metadata/batchStats/failedRequestCount"},
			{Title: "Created", Pointer: "/metadata/createTime", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "cancel", Title: "Cancel", One: true, Danger: true, Call: call("batches.cancel")},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("batches.delete")},
		},
	}
}

func fetched() resource.Resource {
	return resource.Resource{
		Name: "local", Title: "Local models", One: "a local model", Admin: true, Empty: "None can be fetched.",
		About: "Models that can be fetched with stoa models pull, and which of them are here.",
		List:  resource.Call{Command: "models list"}, Items: "/models",
		Key: []resource.Key{{Parameter: "name", Pointer: "/name"}},
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Model", Pointer: "/model"},
			{Title: "Here", Pointer: "/here", Kind: resource.Bool}, {Title: "Size", Pointer: "/bytes", Kind: resource.Bytes},
			{Title: "Licence", Pointer: "/licence"},
		},
	}
}
