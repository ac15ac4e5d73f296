package pipelines

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// notify sends every registered address a message that a job has ended. The messages are rows of the transaction of the
// end itself, yet a failure with them does not fail the end.
func (s *Service) notify(ctx context.Context, tx *database.Tx, b *build.Build) {
	hooks, err := s.hooksOf(ctx, tx, b)
	if err == nil && len(hooks) > 0 {
		err = tx.Savepoint(ctx, func() error { return s.enqueueNotices(ctx, tx, b, hooks) })
	}
	if err != nil {
		id := b.ID
		tx.OnCommit(func() {
			s.world.Telemetry.Log.LogAttrs(ctx, slog.LevelError, "webhooks of job not sent",
				slog.String("service", Name), slog.Int64("job", id), slog.Any("error", err))
		})
	}
}

// enqueueNotices queues the message for each address.
func (s *Service) enqueueNotices(ctx context.Context, tx *database.Tx, b *build.Build, hooks []project.Webhook) error {
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
	for _, hook := range hooks {
		channel := s.projects.NoticeChannel(b.RepoID, hook.URL)
		if err := s.enqueue(ctx, tx, hook, "job-completed", channel, b.OwnerID, body); err != nil {
			return err
		}
	}
	return nil
}

// enqueue queues a message to an address, signed when there is a secret.
func (s *Service) enqueue(
	ctx context.Context, tx *database.Tx, hook project.Webhook, event, channel string, owner int64, body []byte,
) error {
	m := deliver.Message{
		Service: Name, Owner: build.OwnerKey(owner), Channel: channel, URL: hook.URL, Body: body,
		Header: map[string]string{
			"Content-Type": "application/json", "User-Agent": s.words.hookAgent, s.words.hookEvent: event,
		},
	}
	if hook.Secret != "" {
		sum := hmac.New(sha256.New, []byte(hook.Secret))
		sum.Write(body)
		m.Header[s.words.hookSignature] = "v1=" + hex.EncodeToString(sum.Sum(nil))
	}
	_, err := s.world.Deliver.Enqueue(ctx, tx, m)
	return err
}

// hooksOf are the addresses of the project's settings and of its configuration.
func (s *Service) hooksOf(ctx context.Context, tx *database.Tx, b *build.Build) ([]project.Webhook, error) {
	row, err := project.ByID(ctx, tx, b.RepoID)
	if errors.Is(err, database.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	hooks, err := s.projects.Webhooks(row)
	if err != nil {
		return nil, err
	}
	plan, err := build.PlanOf(ctx, tx, b.ID)
	if err != nil {
		return nil, err
	}
	for _, address := range plan.Webhooks {
		// A configuration is written by every user who may push: an address that cannot be called is left out rather
		// than held against the job.
		if _, err := s.world.Deliver.ParseAddress(address); err == nil && len(hooks) < 2*project.MaxWebhooks {
			hooks = append(hooks, project.Webhook{URL: address})
		}
	}
	return hooks, nil
}

// maxNotice is below what a delivery may hold; a job with more steps than fit is sent without them, see notice.
const maxNotice = 250 << 10

// notice is the message: the detail of the job under payload.
func (s *Service) notice(ctx context.Context, q database.Querier, r forge.Repository, b *build.Build) ([]byte, error) {
	j, err := readJob(ctx, q, r, *b)
	if err != nil {
		return nil, err
	}
	j.base = s.world.URL(context.Background()) // receivers did not ask for it
	j.reader = project.NoUser
	for _, shorten := range []func(*job){(*job).dropSteps, (*job).cutTexts, nil} {
		text, err := wire.EncodeJSON(noticeJSON{s.detailToWire(&j)})
		if err != nil || len(text) <= maxNotice || shorten == nil {
			return text, err
		}
		shorten(&j)
	}
	return nil, nil
}

// dropSteps leaves out what is large in most large jobs.
func (j *job) dropSteps() { j.actions, j.details.Config, j.details.Commits = nil, "", nil }

// Bounds of a text and of a list in a message that had to be shortened. All texts together stay far below maxNotice,
// even when every byte is escaped.
const (
	maxNoticeText = 1 << 10
	maxNoticeList = 10
)

// cutTexts shortens everything that users wrote, after which any job fits.
func (j *job) cutTexts() {
	b := &j.build
	for _, text := range []*string{
		&b.JobName, &b.Branch, &b.Tag, &b.Subject, &b.Body, &b.Compare, &b.FailReason, &b.Workflow.Name,
		&b.Committer.Name, &b.Committer.Email, &b.Author.Name, &b.Author.Email,
	} {
		*text = wire.Clip(*text, maxNoticeText)
	}
	b.Parameters = json.RawMessage("{}")
	b.SSHUsers = b.SSHUsers[:min(len(b.SSHUsers), maxNoticeList)]
	b.Retries = b.Retries[:min(len(b.Retries), maxNoticeList)]
	b.Workflow.Upstream = b.Workflow.Upstream[:min(len(b.Workflow.Upstream), maxNoticeList)]
	// The job still belongs to the caller, so its messages are not cut in place.
	messages := make([]build.Message, 0, maxNoticeList)
	for _, m := range b.Messages[:min(len(b.Messages), maxNoticeList)] {
		messages = append(messages, build.Message{Type: m.Type, Message: wire.Clip(m.Message, maxNoticeText)})
	}
	b.Messages = messages
}

// TestHook sends each address of a project a message that says only that it is a test, and returns how many there are.
func (s *Service) TestHook(ctx context.Context, r forge.Repository) (sent int, err error) {
	body, err := wire.EncodeJSON(noticeJSON{testNoticeJSON{
		VCSURL:   s.names.RepoURL(s.world.URL(context.Background()), r, vcs.A),
		Reponame: wire.Text(r.Name), Username: wire.Text(r.Owner.Name),
		Status: "success", Subject: "A test of your webhook",
	}})
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		sent = 0
		row, err := project.ByID(ctx, tx, r.ID)
		if errors.Is(err, database.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		hooks, err := s.projects.Webhooks(row)
		if err != nil {
			return err
		}
		for _, hook := range hooks {
			if err := s.enqueue(ctx, tx, hook, "ping", "", build.OwnerOf(forge.Actor{}, r), body); err != nil {
				return err
			}
			sent++
		}
		return nil
	})
	if err == nil && sent == 0 {
		return 0, errConflict("the project has no webhook; set webhooks with PUT settings")
	}
	return sent, err
}
