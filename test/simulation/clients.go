package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// absent is the title of a task that is not there.
const absent = "\x00"

// user is a client with its model: what may be stored after what it was told.
type user struct {
	name         string
	tasks, label string // tokens
	calendar     string
	events       string
	channels     []*channel
	key          string // of apikeys
	exchanged    map[string]string
	count        int
	// titles are the titles that each task may have, by id; unknown are those of inserts
	// that were not acknowledged.
	titles  map[string][]string
	ids     []string // in the order of insertion
	unknown map[string]bool
}

func (s *simulated) addUser(ctx context.Context, name string) error {
	u := &user{name: name, exchanged: map[string]string{}, titles: map[string][]string{}, unknown: map[string]bool{}}
	_, err := s.command(ctx, "user add", map[string][]string{
		"name": {name}, "password": {"correct horse battery staple"},
	})
	if err != nil {
		return err
	}
	for _, token := range []struct {
		service string
		into    *string
	}{{"tasks", &u.tasks}, {"labels", &u.label}, {"calendar", &u.calendar}, {"events", &u.events}} {
		if *token.into, err = s.issue(ctx, "token", name, token.service); err != nil {
			return err
		}
	}
	if u.key, err = s.issue(ctx, "key", name, "apikeys"); err != nil {
		return err
	}
	s.users = append(s.users, u)
	return nil
}

// issue makes a token or a key.
func (s *simulated) issue(ctx context.Context, what, name, service string) (string, error) {
	made, err := s.command(ctx, what+" issue", map[string][]string{"user": {name}, "service": {service}})
	if err != nil {
		return "", err
	}
	secret, _ := made[what].(string)
	s.secrets = append(s.secrets, secret)
	return secret, nil
}

// step is what one client does next; met is how many faults it met.
func (s *simulated) step(ctx context.Context) (met int, err error) {
	u := s.users[s.random.IntN(len(s.users))]
	s.store.arm(true)
	defer s.store.arm(false)
	switch n := s.random.IntN(110); {
	case n >= 100:
		return s.manageKeys(ctx)
	case n < 20 || len(u.ids) == 0:
		return s.insert(u), nil
	case n < 30:
		return s.patch(u), nil
	case n < 36:
		return s.remove(u), nil
	case n < 42:
		return s.trespass(u), nil
	case n < 52:
		return s.exchange(ctx, u)
	case n < 56:
		return s.watch(u), nil
	case n < 68:
		return s.announce(u), nil
	case n < 76:
		return s.pass(ctx, time.Duration(1+s.random.IntN(60))*time.Second), nil
	case n < 82:
		return s.redeem(ctx, u)
	case n < 88:
		return s.happen(u), nil
	case n < 95:
		return s.poll(), nil
	}
	return s.burst(u), nil
}

const taskPath = "/tasks/v1/lists/@default/tasks"

func (s *simulated) insert(u *user) int {
	u.count++
	title := fmt.Sprintf("%s %d", u.name, u.count)
	w, met := s.do("POST", taskPath, u.tasks, `{"title":"`+title+`"}`)
	if w.Code != http.StatusOK {
		u.unknown[title] = true
		return met
	}
	var task struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &task); err != nil || task.ID == "" {
		s.violate("P2: an insert answered %s", w.Body)
		return met
	}
	u.titles[task.ID] = []string{title}
	u.ids = append(u.ids, task.ID)
	return met
}

// learn narrows what a task may be, or widens it after an answer that says nothing.
func (s *simulated) learn(u *user, id string, code int, after string, done int) {
	switch {
	case code == done:
		u.titles[id] = []string{after}
	case code == http.StatusNotFound:
		if !slices.Contains(u.titles[id], absent) {
			s.violate("P1: task %s of %s is gone; it was one of %q", id, u.name, u.titles[id])
		}
		u.titles[id] = []string{absent}
	case code >= http.StatusInternalServerError:
		u.titles[id] = append(u.titles[id], after)
	}
}

func (s *simulated) patch(u *user) int {
	id := u.ids[s.random.IntN(len(u.ids))]
	u.count++
	title := fmt.Sprintf("%s %d", u.name, u.count)
	w, met := s.do("PATCH", taskPath+"/"+id, u.tasks, `{"title":"`+title+`"}`)
	if w.Code == http.StatusOK && len(u.titles[id]) == 1 && u.titles[id][0] == absent {
		return met // a deleted task can still be changed, and stays deleted
	}
	s.learn(u, id, w.Code, title, http.StatusOK)
	return met
}

func (s *simulated) remove(u *user) int {
	id := u.ids[s.random.IntN(len(u.ids))]
	w, met := s.do("DELETE", taskPath+"/"+id, u.tasks, "")
	s.learn(u, id, w.Code, absent, http.StatusNoContent)
	return met
}

// trespass tries the task of another (P6).
func (s *simulated) trespass(u *user) int {
	other := s.users[0]
	if other == u {
		other = s.users[1]
	}
	if len(other.ids) == 0 {
		return s.insert(u)
	}
	id := other.ids[s.random.IntN(len(other.ids))]
	w, met := s.do("PATCH", taskPath+"/"+id, u.tasks, `{"title":"stolen"}`)
	if w.Code < http.StatusBadRequest {
		s.violate("P6: %s changed task %s of %s: %d", u.name, id, other.name, w.Code)
	}
	return met
}

// exchange refreshes a key, now and then one that was exchanged before (P5).
func (s *simulated) exchange(ctx context.Context, u *user) (int, error) {
	s.clock.Advance(61e9) // within the limit of a key
	old := u.key
	w, met := s.do("POST", "/v2/api-keys/refresh", old, "{}")
	var answer struct{ Data struct{ APIKey string } }
	switch {
	case w.Code == http.StatusOK:
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Data.APIKey == "" {
			s.violate("P2: an exchange answered %s", w.Body)
			return met, nil
		}
		fresh := answer.Data.APIKey
		if was, again := u.exchanged[old]; again && was != fresh {
			s.violate("P5: one key of %s was exchanged for two", u.name)
		}
		u.exchanged[old], u.key = fresh, fresh
		s.secrets = append(s.secrets, fresh)
		if s.random.IntN(2) == 0 {
			again, more := s.do("POST", "/v2/api-keys/refresh", old, "{}")
			if met += more; again.Code == http.StatusOK && !strings.Contains(again.Body.String(), fresh) {
				s.violate("P5: one key of %s was exchanged for two", u.name)
			}
		}
	case w.Code == http.StatusUnauthorized: // a cut exchange was done
		s.store.arm(false)
		key, err := s.issue(ctx, "key", u.name, "apikeys")
		u.key = key
		return met, err
	}
	return met, nil
}

// burst asks more than a limit admits, at one moment (P7).
func (s *simulated) burst(u *user) (met int) {
	s.clock.Advance(61e9)
	s.store.still = true
	defer func() { s.store.still = false }()
	admitted := 0
	for range labelLimit + 5 {
		w, n := s.do("GET", "/v2/limits/label?name=limits/label", u.label, "")
		if met += n; w.Code == http.StatusOK {
			admitted++
		}
	}
	switch {
	case admitted > labelLimit:
		s.violate("P7: %d of at most %d were admitted", admitted, labelLimit)
	case admitted < labelLimit && met == 0:
		s.violate("P7: %d of %d were admitted, a minute after the last", admitted, labelLimit)
	}
	return met
}

// audit reads everything without faults and holds it against the model (P1, P2).
func (s *simulated) audit() {
	s.store.arm(false)
	for _, u := range s.users {
		found, ok := s.list(u)
		if !ok {
			continue
		}
		for _, id := range u.ids {
			title, there := found[id]
			if !there {
				title = absent
			}
			if !slices.Contains(u.titles[id], title) {
				s.violate("P1: task %s of %s is %q, want one of %q", id, u.name, title, u.titles[id])
			}
			delete(found, id)
		}
		for id, title := range found {
			if !u.unknown[title] {
				s.violate("P1: task %s of %s, %q, was never sent", id, u.name, title)
			}
			delete(u.unknown, title) // once
		}
	}
}

func (s *simulated) list(u *user) (map[string]string, bool) {
	found := map[string]string{}
	for token := ""; ; {
		w, _ := s.do("GET", taskPath+"?maxResults=100&pageToken="+token, u.tasks, "")
		var page struct {
			NextPageToken string
			Items         []struct{ ID, Title string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			s.violate("P1: the list of %s: %d %s", u.name, w.Code, w.Body)
			return nil, false
		}
		for _, i := range page.Items {
			found[i.ID] = i.Title
		}
		if token = page.NextPageToken; token == "" {
			return found, true
		}
	}
}
