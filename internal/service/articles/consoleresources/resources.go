package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are articles with their comments, and tags.
func All() []resource.Resource { return []resource.Resource{items(), comments(), public(), tags()} }

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func paging() resource.Paging { return resource.Paging{Number: "page", Size: "per_page", Per: 50} }

// markdown is a text whose preview is what readers will see.
func markdown() resource.Field {
	return resource.Field{
		Name: "body", Title: "Text", Kind: resource.Markdown, Required: true, Help: "Markdown",
		Preview: call("preview.create"), PreviewMember: "raw_body",
		Picture: call("pictures.create"), PictureMember: "/markdown",
	}
}

func columns() []resource.Column {
	return []resource.Column{
		{Title: "Title", Pointer: "/title"}, {Title: "Author", Pointer: "/user/id"}, {Title: "Tags", Pointer: "/tags"},
		{Title: "Private", Pointer: "/private", Kind: resource.Bool}, {Title: "Likes", Pointer: "/likes_count"},
		{Title: "Comments", Pointer: "/comments_count"}, {Title: "Changed", Pointer: "/updated_at", Kind: resource.Time},
		{Title: "Address", Pointer: "/url", Kind: resource.Link},
	}
}

func items() resource.Resource {
	fields := []resource.Field{
		{Name: "title", Title: "Title", Required: true},
		markdown(),
		{Name: "tags", Title: "Tags", Kind: resource.Lines, Wrap: "name", Required: true},
		{Name: "private", Title: "Private: only those who know the address", Kind: resource.Bool},
	}
	return resource.Resource{
		Name: "articles", Title: "Your articles", One: "an article", Empty: "You have not written an article yet.",
		About: "Readers find them at /articles.",
		List:  call("authenticatedUser.items"), Paging: paging(), Get: call("items.get"),
		Key: []resource.Key{{Parameter: "item_id", Pointer: "/id"}}, Label: "/title",
		NamesInner: true, Columns: columns(), Prose: "/rendered_body",
		Actions: append([]resource.Action{
			{Name: "add", Title: "Write an article", Call: call("items.create"), Fields: fields,
				Done: "The article is written."},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("items.update"), Fields: fields},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("items.delete"),
				Text: "The article is deleted with its comments and likes.", Undo: "add"},
		}, marks()...),
	}
}

func comments() resource.Resource {
	text := []resource.Field{markdown()}
	return resource.Resource{
		Name: "comments", Title: "Comments", One: "a comment", In: "articles", Empty: "No comments yet. Write the first.",
		List: call("comments.list"), Paging: paging(), Get: call("comments.get"),
		Key: []resource.Key{{Parameter: "comment_id", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "Author", Pointer: "/user/id"}, {Title: "Text", Pointer: "/body"},
			{Title: "Written", Pointer: "/created_at", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Comment", Call: call("comments.create"), Fields: text},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("comments.update"), Fields: text},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("comments.delete"), Undo: "add"},
		},
	}
}

func public() resource.Resource {
	return resource.Resource{
		Name: "all", Title: "All articles", One: "an article", Empty: "There are no articles yet.",
		About: "What everybody may read, newest first.",
		List:  call("items.list"), Paging: paging(), Get: call("items.get"),
		Filters: []resource.Field{{Name: "query", Title: "Search", Help: "words, tag:Go, user:ada"}},
		Key:     []resource.Key{{Parameter: "item_id", Pointer: "/id"}}, Label: "/title", Columns: columns(),
		Prose:   "/rendered_body",
		Actions: marks(),
	}
}

// marks are what a reader does to an article. Each is there until it is done, and then
// what takes it back.
func marks() []resource.Action {
	mark := func(name, title, operation, is string, not bool) resource.Action {
		return resource.Action{
			Name: name, Title: title, One: true, Call: call(operation), If: &resource.Condition{Call: call(is), Not: not},
		}
	}
	return []resource.Action{
		mark("like", "Like", "likes.put", "likes.get", true),
		mark("unlike", "Take the like back", "likes.delete", "likes.get", false),
		mark("stock", "Bookmark", "stocks.put", "stocks.get", true),
		mark("unstock", "Remove the bookmark", "stocks.delete", "stocks.get", false),
	}
}

func tags() resource.Resource {
	return resource.Resource{
		Name: "tags", Title: "Tags", One: "a tag", Empty: "No article has a tag yet.",
		About: "Words that articles are found by, and how many articles have each.",
		List:  call("tags.list"), Paging: paging(), Get: call("tags.get"),
		Key: []resource.Key{{Parameter: "tag_id", Pointer: "/id"}}, Label: "/id",
		Columns: []resource.Column{
			{Title: "Tag", Pointer: "/id"}, {Title: "Articles", Pointer: "/items_count"},
			{Title: "Followers", Pointer: "/followers_count"},
		},
		Actions: []resource.Action{
			{Name: "follow", Title: "Follow", One: true, Call: call("following.put")},
			{Name: "unfollow", Title: "Stop following", One: true, Call: call("following.delete")},
		},
	}
}
