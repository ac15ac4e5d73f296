package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/test/bench/drive"
)

// articlesRows: F's item, list, durable create with rendering, and search over
// many items.
func articlesRows() []row {
	return []row{
		{name: "F: GET item, 16 clients", run: (*bench).articlesGet, atLeast: 0.35},
		{name: "F: GET 20 items, 16 clients, against a bare list", run: (*bench).articlesList, atLeast: 0.5},
		{name: "F: POST item with rendering, durable", run: (*bench).articlesCreate, perSec: 2000},
		{name: "F: search, p99, 4 clients", run: (*bench).articlesSearch, atMost: 20, unit: "ms"},
	}
}

// articleText is an article of common length.
const articleText = "# Sweeping the steps\n\nA *stoa* is a public colonnade: a row of equal columns under one cover, " +
	"open to everyone.\n\n" +
	"- Sweep from the top\n- Mind the **third** step\n\n```go:main.go\npackage main\n\nfunc main() {\n" +
	"\tprintln(\"swept\")\n}\n```\n\n" +
	"See [the plan](https://stoa.example/plan) for the rest.\n"

func articleBody(title, text string, tags ...string) string {
	var list []map[string]string
	for _, t := range tags {
		list = append(list, map[string]string{"name": t})
	}
	body, err := json.Marshal(map[string]any{"title": title, "body": text, "tags": list})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// postArticle makes one item and returns its id.
func postArticle(ctx context.Context, o *ours, bearer, body string) (string, error) {
	text, err := o.send(ctx, http.MethodPost, "/api/v2/items", bearer, body)
	if err != nil {
		return "", err
	}
	var made struct{ ID string }
	err = json.Unmarshal(text, &made)
	return made.ID, err
}

func (b *bench) articlesGet(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "articles-get", "articles")
	if err != nil {
		return nil, err
	}
	defer o.close()
	id, err := postArticle(ctx, o, token, articleBody("Steps", articleText, "Go", "Stairs"))
	if err != nil {
		return nil, err
	}
	path := "/api/v2/items/" + id
	return b.gets(ctx, o, bareWord, path, token)
}

func (b *bench) articlesList(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "articles-list", "articles")
	if err != nil {
		return nil, err
	}
	defer o.close()
	for i := range 40 {
		if _, err := postArticle(ctx, o, token,
			articleBody(fmt.Sprintf("Steps %d", i), articleText, "Go", "Stairs")); err != nil {
			return nil, err
		}
	}
	const path = "/api/v2/items?per_page=20"
	return b.gets(ctx, o, bareArticlesWord, path, token)
}

func (b *bench) articlesCreate(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "articles-create", "articles")
	if err != nil {
		return nil, err
	}
	defer o.close()
	text := drive.Request("POST", "/api/v2/items", o.address(), token, articleBody("Steps", articleText, "Go", "Stairs"))
	var results []result
	for _, clients := range writers() {
		s, err := repeat(ctx, b.rounds, b.load(o.address(), clients, func(int) drive.Source { return drive.Constant(text) }))
		if err != nil {
			return nil, err
		}
		line := rateResult(clientsLabel(clients), s)
		line.judged = clients == 32
		results = append(results, line)
	}
	return results, nil
}

// articlesCount is how many items the search row finds its words in: a hundred
// thousand, or what STOA_BENCH_ARTICLES says.
func articlesCount() int {
	if n, err := strconv.Atoi(os.Getenv("STOA_BENCH_ARTICLES")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

// vocabulary are words of which a few are in most texts and most are in few.
type vocabulary struct{ zipf *rand.Zipf }

func newVocabulary(seed uint64) vocabulary {
	return vocabulary{rand.NewZipf(rand.New(rand.NewPCG(7, seed)), 1.2, 8, 20_000)}
}

func (v vocabulary) word() string { return fmt.Sprintf("w%d", v.zipf.Uint64()) }

func (v vocabulary) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(v.word() + " ")
	}
	return b.String()
}

// seeker looks for another word or two each time.
type seeker struct {
	host, token string
	words       vocabulary
	n           int
}

func (s *seeker) Next() []byte {
	s.n++
	query := s.words.word()
	switch s.n % 4 {
	case 1:
		query += " " + s.words.word()
	case 2:
		query = "title:" + query
	case 3:
		query += " tag:t" + strconv.Itoa(s.n%50)
	}
	return drive.Request("GET", "/api/v2/items?query="+url.QueryEscape(query), s.host, s.token, "")
}

func (s *seeker) Seen([]byte) error { return nil }

func (b *bench) articlesSearch(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "articles-search", "articles")
	if err != nil {
		return nil, err
	}
	defer o.close()
	if err := fillArticles(ctx, o, token, articlesCount()); err != nil {
		return nil, err
	}
	s, err := repeat(ctx, b.rounds, b.load(o.address(), 4, func(i int) drive.Source {
		return &seeker{host: o.address(), token: token, words: newVocabulary(uint64(1000 + i))}
	}))
	if err != nil {
		return nil, err
	}
	line := result{value: float64(s.P99.Microseconds()) / 1000, rate: s.Rate, p50: s.P50, p99: s.P99, judged: true}
	line.label = fmt.Sprintf("over %d items", articlesCount())
	return []result{line}, nil
}

// fillArticles writes items with many writers at once.
func fillArticles(ctx context.Context, o *ours, token string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	crowd, ctx := errgroup.WithContext(ctx)
	for i := range fillers {
		crowd.Go(func() error {
			words := newVocabulary(uint64(i))
			for j := i; j < n; j += fillers {
				if _, err := postArticle(ctx, o, token,
					articleBody(words.text(6), words.text(80), "t"+strconv.Itoa(j%50))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return crowd.Wait()
}

// bareArticlesWord makes the program a bare server of a list of items.
const bareArticlesWord = "bare-articles-server"

// bareArticle has the members of an item.
type bareArticle struct {
	RenderedBody   string    `json:"rendered_body"`
	Body           string    `json:"body"`
	Coediting      bool      `json:"coediting"`
	CommentsCount  int64     `json:"comments_count"`
	CreatedAt      time.Time `json:"created_at"`
	Group          *struct{} `json:"group"`
	ID             string    `json:"id"`
	LikesCount     int64     `json:"likes_count"`
	Private        bool      `json:"private"`
	ReactionsCount int64     `json:"reactions_count"`
	StocksCount    int64     `json:"stocks_count"`
	Tags           []struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
	} `json:"tags"`
	Title          string    `json:"title"`
	UpdatedAt      time.Time `json:"updated_at"`
	URL            string    `json:"url"`
	Organization   *string   `json:"organization_url_name"`
	Slide          bool      `json:"slide"`
	Membership     *struct{} `json:"team_membership"`
	PageViewsCount int64     `json:"page_views_count"`
	User           struct {
		Description    *string `json:"description"`
		SocialA        *string `json:"social_a_id"`
		SocialB        *string `json:"social_b_id"`
		SocialC        *string `json:"social_c_screen_name"`
		CodeHost       *string `json:"code_host_login_name"`
		Location       *string `json:"location"`
		Name           string  `json:"name"`
		Organization   *string `json:"organization"`
		WebsiteURL     *string `json:"website_url"`
		FolloweesCount int64   `json:"followees_count"`
		FollowersCount int64   `json:"followers_count"`
		ItemsCount     int64   `json:"items_count"`
		PermanentID    int64   `json:"permanent_id"`
		ID             string  `json:"id"`
		Picture        string  `json:"profile_image_url"`
		TeamOnly       bool    `json:"team_only"`
	} `json:"user"`
}
