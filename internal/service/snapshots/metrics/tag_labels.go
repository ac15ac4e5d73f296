//go:build !small

package metrics

import (
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Label values cannot be empty and a label has one value, but a tag may lack a
// value and a key may be given twice. So a bare tag has the value bare, and
// several values of a key are joined, with the separator around each.
const (
	bare      = "\x1e"
	separator = "\x1f"
	nameLabel = "__name__"
	// orgLabel keeps the points of organizations apart. Every selection names
	// one, so nothing of one organization reaches another.
	orgLabel = "__org__"
)

// toLabels builds the label set of a series from normalised tags.
func toLabels(org, metric string, tags []string) labels.Labels {
	type pair struct{ key, value string }
	pairs := make([]pair, 0, len(tags))
	for _, t := range tags {
		key, value, _ := strings.Cut(t, ":")
		if value == "" {
			value = bare
		}
		pairs = append(pairs, pair{key, value})
	}
	// Sorting by text does not keep the values of a key together ("a", "a1:x",
	// "a:y"), sorting by key does.
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	b := labels.NewScratchBuilder(len(pairs) + 2)
	b.Add(nameLabel, metric)
	b.Add(orgLabel, org)
	for i := 0; i < len(pairs); {
		value, j := pairs[i].value, i+1
		for ; j < len(pairs) && pairs[j].key == pairs[i].key; j++ {
			if j == i+1 {
				value = separator + value + separator
			}
			value += pairs[j].value + separator
		}
		b.Add(labelName(pairs[i].key), value)
		i = j
	}
	b.Sort()
	return b.Labels()
}

// labelName keeps tags away from the names that the engine reserves, and from each other.
func labelName(key string) string {
	if isEscaped("tag" + key) {
		return "tag" + key
	}
	return key
}

// isEscaped reports whether a label has the name of a tag with something before it.
func isEscaped(name string) bool {
	rest, escaped := strings.CutPrefix(name, "tag")
	return escaped && (strings.HasPrefix(rest, "__") || isEscaped(rest))
}

// labelTags answers questions of the query language from a label set.
type labelTags struct{ l labels.Labels }

// Values splits a joined value.
func (t labelTags) Values(key string) []string { return splitValue(t.l.Get(labelName(key))) }

func (t labelTags) all() (list []string) {
	t.l.Range(func(l labels.Label) { list = append(list, labelTagList(l.Name, l.Value)...) })
	return list
}

// TagsOf lists the tags of a series that Select found, sorted.
func TagsOf(t query.Tags) []string {
	known, ok := t.(interface{ all() []string })
	if !ok {
		return nil
	}
	list := known.all()
	slices.Sort(list)
	return list
}

// labelTagList are the tags that a label stands for; the engine's own are none.
func labelTagList(name, value string) (list []string) {
	if strings.HasPrefix(name, "__") {
		return nil
	}
	if isEscaped(name) {
		name = name[len("tag"):]
	}
	for _, v := range splitValue(value) {
		if v == "" {
			list = append(list, name)
			continue
		}
		list = append(list, name+":"+v)
	}
	return list
}

// splitValue undoes what toLabels did to the values of a key.
func splitValue(v string) []string {
	switch {
	case v == "":
		return nil
	case v == bare:
		return []string{""}
	case !strings.HasPrefix(v, separator):
		return []string{v}
	}
	list := strings.Split(strings.Trim(v, separator), separator)
	for i := range list {
		if list[i] == bare {
			list[i] = ""
		}
	}
	return list
}

// maxMatchers bounds the lookups of a selection.
const maxMatchers = 10

// required are the tags that are looked up in the engine's index.
func required(scope query.Filter) []query.Has {
	list := query.Required(scope)
	return list[:min(len(list), maxMatchers)]
}

// matchers narrows a selection in the engine's index. The scope is still
// checked for every series. Labels that are plain need no regular expression.
func matchers(org, metric string, scope query.Filter, plain map[string]bool) []*labels.Matcher {
	out := []*labels.Matcher{ofOrg(org)}
	if metric != "" {
		out = append(out, labels.MustNewMatcher(labels.MatchEqual, nameLabel, metric))
	}
	for _, h := range required(scope) {
		name := labelName(h.Key)
		if plain[name] && h.Value != "" {
			out = append(out, labels.MustNewMatcher(labels.MatchEqual, name, h.Value))
			continue
		}
		v := regexp.QuoteMeta(h.Value)
		m, err := labels.NewMatcher(labels.MatchRegexp, name, "(?i:"+v+"|.*"+separator+v+separator+".*)")
		if err == nil {
			out = append(out, m)
		}
	}
	return out
}

func ofOrg(org string) *labels.Matcher {
	return labels.MustNewMatcher(labels.MatchEqual, orgLabel, org)
}
