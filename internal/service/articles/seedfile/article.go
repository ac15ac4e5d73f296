package seedfile

// Article is an element of the section.
type Article struct {
	Author   string    `json:"author" doc:"The user who writes it."`
	Team     string    `json:"team,omitempty" doc:"The team whose host it is on; the public site when left out."`
	Title    string    `json:"title" doc:"The title."`
	Body     string    `json:"body" doc:"The text in Markdown."`
	Tags     []Tag     `json:"tags,omitempty" doc:"What it is about."`
	Private  bool      `json:"private,omitempty" doc:"Whether only who has the address reads it."`
	Slide    bool      `json:"slide,omitempty" doc:"Whether it is shown as slides."`
	Likes    []string  `json:"likes,omitempty" doc:"Users who like it, on the public site."`
	Comments []Comment `json:"comments,omitempty" doc:"Comments, the first one first."`
}

// Tag is one of the tags of an article.
type Tag struct {
	Name     string   `json:"name" doc:"The tag."`
	Versions []string `json:"versions,omitempty" doc:"The versions that the article is about."`
}

// Comment is a comment on an article.
type Comment struct {
	Author string `json:"author" doc:"The user who writes it."`
	Body   string `json:"body" doc:"The text in Markdown."`
}
