package profiles

import (
	"context"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// The members of a profile, in the order of the contract.
const (
	description = iota
	socialA
	socialB
	socialC
	codeHost
	location
	organization
	website

	count
)

// Profile is what a user says, by member; empty is not said.
type Profile [count]string

// Names are the members in the contract's own spelling, which is that of the columns.
func Names() [count]string {
	return [count]string{
		description: "description", socialA: "social_a_id", socialB: "social_b_id", socialC: "social_c_screen_name",
		codeHost: "code_host_login_name", location: "location", organization: "organization", website: "website_url",
	}
}

// Profiles is the profiles of one world.
type Profiles struct {
	world *world.World
	// spelt are the members as the dialect writes them.
	spelt [count]string
	// changed is called in the transaction that changes a user's profile.
	changed func(tx *database.Tx, users ...int64)
}

// New makes them.
func New(w *world.World, changed func(tx *database.Tx, users ...int64)) *Profiles {
	p := &Profiles{world: w, spelt: Names(), changed: changed}
	p.spelt[socialA], p.spelt[socialB] = w.Dialect.Says(dialect.SocialAID), w.Dialect.Says(dialect.SocialBID)
	p.spelt[socialC] = w.Dialect.Says(dialect.SocialCScreenName)
	p.spelt[codeHost] = w.Dialect.Says(dialect.CodeHostLoginName)
	return p
}

// Write writes the members of a profile; what is not said is null.
func (p *Profiles) Write(b *wire.Builder, v Profile) {
	for n, name := range p.spelt {
		if b.Key(name); v[n] == "" {
			b.Null()
			continue
		}
		b.Text(v[n])
	}
}

// ByUsers are the profiles of several users; one who said nothing is left out.
func (p *Profiles) ByUsers(ctx context.Context, users []int64) (map[int64]Profile, error) {
	return byUsers(ctx, p.world.DB, users)
}

// Set changes the members that are named, in either spelling. A member that is nil
// stays as it is, an empty one is no longer said.
func (p *Profiles) Set(ctx context.Context, user int64, change map[string]*string) (Profile, error) {
	wanted := map[int]string{}
	for name, value := range change {
		n := p.index(name)
		if n < 0 {
			return Profile{}, refusal.New(refusal.BadRequest, "%s is not a member that can be changed",
				wire.Clip(name, maxShort))
		}
		if value == nil {
			continue
		}
		text := strings.TrimSpace(*value)
		if err := check(n, text); err != nil {
			return Profile{}, err
		}
		wanted[n] = text
	}
	var out Profile
	err := p.world.DB.WriteKeyed(ctx, key(user), func(ctx context.Context, tx *database.Tx) error {
		before, err := byUsers(ctx, tx, []int64{user})
		if err != nil {
			return err
		}
		out = before[user]
		for n, text := range wanted {
			out[n] = text
		}
		p.changed(tx, user)
		return upsert(ctx, tx, user, out)
	})
	return out, err
}

func (p *Profiles) index(name string) int {
	neutral := Names()
	for n := range p.spelt {
		if name == p.spelt[n] || name == neutral[n] {
			return n
		}
	}
	return -1
}

// The longest texts, in characters.
const (
	maxDescription = 1000
	maxShort       = 200
)

func check(n int, text string) error {
	name, longest := Names()[n], maxShort
	if n == description {
		longest = maxDescription
	}
	if utf8.RuneCountInString(text) > longest {
		return refusal.New(refusal.BadRequest, "%s must have at most %d characters", name, longest)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && (n != description || r != '\n') }
	if strings.ContainsFunc(text, control) {
		return refusal.New(refusal.BadRequest, "%s must not hold control characters", name)
	}
	if n != website || text == "" {
		return nil
	}
	if u, err := url.Parse(text); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return refusal.New(refusal.BadRequest, "%s must be an address with http or https", name)
	}
	return nil
}
