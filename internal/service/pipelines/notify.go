package pipelines

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxNotice leaves room below what a delivery may hold; a job with more steps
// than fit is told without them, see notice.
const maxNotice = 250 << 10

// notify tells every registered address that a job has finished. The messages
// are rows of the transaction of the end itself, yet no trouble with them holds
// up the end: a job that cannot be told of has ended all the same.
func (s *Service) notify(ctx context.Context, tx *database.Tx, b *Build) {
	if b.State.Lifecycle != Finished {
		return
	}
	hooks, err := s.hooksOf(ctx, tx, b)
	if err == nil && len(hooks) > 0 {
		err = tx.Savepoint(ctx, func() error { return s.tell(ctx, tx, b, hooks) })
	}
	if err != nil {
		id := b.ID
		tx.OnCommit(func() {
			s.world.Telemetry.Log.Error("nobody could be told of the end of a job", "service", Name, "job", id, "error", err)
		})
	}
}

// tell queues the message for each address.
func (s *Service) tell(ctx context.Context, tx *database.Tx, b *Build, hooks []Webhook) error {
	r, err := s.forge.Repository(ctx, b.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := s.notice(ctx, tx, r, b)
	if err != nil {
		return err
	}
	for i, hook := range hooks {
		m := deliver.Message{
			Service: Name, Owner: ownerKey(b.OwnerID), Channel: Name + "/" + strconv.FormatInt(b.RepoID, 10) + "/" + strconv.Itoa(i),
			URL: hook.URL, Body: body,
			Header: map[string]string{
				"Content-Type": "application/json", "User-Agent": s.words.hookAgent, s.words.hookEvent: "job-completed",
			},
		}
		if hook.Secret != "" {
			m.Header[s.words.hookSignature] = "v1=" + signature(hook.Secret, body)
		}
		if _, err := s.world.Deliver.Enqueue(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}

// hooksOf are the addresses of the project's settings and of its configuration.
func (s *Service) hooksOf(ctx context.Context, tx *database.Tx, b *Build) ([]Webhook, error) {
	p, err := projectByID(ctx, tx, b.RepoID)
	if errors.Is(err, database.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	hooks, err := s.openWebhooks(p)
	if err != nil {
		return nil, err
	}
	details, err := detailsOf(ctx, tx, b.ID)
	if err != nil {
		return nil, err
	}
	var plan storedPlan
	if err := json.Unmarshal(details.Plan, &plan); err != nil {
		return nil, err
	}
	for _, address := range plan.Webhooks {
		// A configuration is written by whoever may push: what cannot be called
		// is left out rather than held against the job.
		if _, err := deliver.ParseAddress(address); err == nil && len(hooks) < 2*maxWebhooks {
			hooks = append(hooks, Webhook{URL: address})
		}
	}
	return hooks, nil
}

// notice is the message: the detail of the job under payload.
func (s *Service) notice(ctx context.Context, q database.Querier, r forge.Repository, b *Build) ([]byte, error) {
	whole, err := s.fullJob(ctx, q, r, *b)
	if err != nil {
		return nil, err
	}
	for _, shorten := range []func(*job){(*job).dropInside, (*job).cutTexts, nil} {
		body := wire.NewBuilder(wire.CompactJSON, nil).Object()
		s.detailToWire(body.Key("payload"), whole)
		if text := body.End().Bytes(); len(text) <= maxNotice || shorten == nil {
			return text, nil
		}
		shorten(&whole)
	}
	return nil, nil
}

// dropInside leaves out what is large in most large jobs.
func (j *job) dropInside() { j.actions, j.details.Config, j.details.Commits = nil, "", nil }

// The most of a text and of a list in a message that had to be shortened. All
// texts together stay far below maxNotice, even when every byte is escaped.
const (
	noticeText = 1 << 10
	noticeList = 10
)

// cutTexts shortens everything that people wrote, after which any job fits.
func (j *job) cutTexts() {
	b := &j.build
	for _, text := range []*string{
		&b.JobName, &b.Branch, &b.Tag, &b.Subject, &b.Body, &b.Compare, &b.FailReason, &b.Workflow.Name,
		&b.Committer.Name, &b.Committer.Email, &b.Author.Name, &b.Author.Email,
	} {
		*text = cutText(*text, noticeText)
	}
	b.Parameters = json.RawMessage("{}")
	b.SSHUsers = b.SSHUsers[:min(len(b.SSHUsers), noticeList)]
	b.Retries = b.Retries[:min(len(b.Retries), noticeList)]
	b.Workflow.Upstream = b.Workflow.Upstream[:min(len(b.Workflow.Upstream), noticeList)]
	// The job still belongs to the caller, so its messages are not cut in place.
	messages := make([]Message, 0, noticeList)
	for _, m := range b.Messages[:min(len(b.Messages), noticeList)] {
		messages = append(messages, Message{Type: m.Type, Message: cutText(m.Message, noticeText)})
	}
	b.Messages = messages
}

// cutText is the beginning of a text.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func signature(secret string, body []byte) string {
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}

// TestHook sends a message that says only that it is a test.
func (s *Service) TestHook(ctx context.Context, r forge.Repository) (int, error) {
	sent := 0
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		sent = 0
		p, err := projectByID(ctx, tx, r.ID)
		if errors.Is(err, database.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		hooks, err := s.openWebhooks(p)
		if err != nil {
			return err
		}
		body := wire.NewBuilder(wire.CompactJSON, nil).Object()
		body.Key("payload").Object().Key("vcs_url").Text(s.vcsURL(r, vcsA)).Key("reponame").Text(r.Name).Key("username").Text(r.Owner.Name).
			Key("status").Text("success").Key("subject").Text("A test of your webhook").End().End()
		for _, hook := range hooks {
			m := deliver.Message{
				Service: Name, Owner: ownerKey(ownerOf(forge.Actor{}, r)), URL: hook.URL, Body: body.Bytes(),
				Header: map[string]string{"Content-Type": "application/json", "User-Agent": s.words.hookAgent, s.words.hookEvent: "ping"},
			}
			if hook.Secret != "" {
				m.Header[s.words.hookSignature] = "v1=" + signature(hook.Secret, body.Bytes())
			}
			if _, err := s.world.Deliver.Enqueue(ctx, tx, m); err != nil {
				return err
			}
			sent++
		}
		return nil
	})
	return sent, err
}
