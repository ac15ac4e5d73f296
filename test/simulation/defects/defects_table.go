package main

import "slices"

// defect is one change. In new, PLANTED stands for the switch.
type defect struct{ id, what, file, old, new string }

const (
	writerFile  = "internal/platform/database/group_commit.go"
	outcomeFile = "internal/platform/jobs/store/outcomes.go"
	insertFile  = "internal/platform/jobs/store/insert.go"
	windowFile  = "internal/platform/limit/fixed_window_counter.go"
	grantsFile  = "internal/identity/grants/grants_store.go"
	grantFile   = "internal/identity/grants/grant.go"
	revokeFile  = "internal/identity/grants/revoke_tokens_of_grant_or_client.go"
	keysFile    = "internal/identity/api_keys.go"
	attemptFile = "internal/platform/deliver/attempt_delivery.go"
	channelFile = "internal/service/calendar/channel/channels_store.go"
	noticeFile  = "internal/service/calendar/channel/notifications.go"
	storedFile  = "internal/service/kms/keys_store.go"
	destroyFile = "internal/service/kms/rotate_destroy.go"
)

func defects() []defect {
	return slices.Concat(writerDefects(), jobDefects(), limitDefects(), grantDefects(), deliveryDefects(),
		keyDefects())
}

func writerDefects() []defect {
	return []defect{
		{"writer-1", "a commit is rolled back and answered as done", writerFile,
			`{ return c.Run("COMMIT") }`, `{ if PLANTED { return c.Run("ROLLBACK") }; return c.Run("COMMIT") }`},
		{"writer-2", "one commit in sixteen is rolled back and answered as done", writerFile,
			`	begin := w.pacer.Clock.Now()
`, `	begin := w.pacer.Clock.Now()
	if PLANTED && w.commits.Load()%16 == 15 {
		w.commits.Add(1)
		return w.conn.rollback()
	}
`},
		{"writer-3", "a transaction is answered before it is committed, and the next one ends it", writerFile,
			`	w.answer(r, w.commit())
`, `	if PLANTED && w.commits.Load() > 100 && w.commits.Add(1)%8 == 0 {
		w.answer(r, nil)
		return
	}
	w.answer(r, w.commit())
`},
		{"writer-4", "a commit that failed is answered as done", writerFile,
			`	if r.end.ok() && err != nil {
`, `	if r.end.ok() && err != nil && !PLANTED {
`},
	}
}

func jobDefects() []defect {
	return []defect{
		{"jobs-1", "jobs that are done are not deleted", outcomeFile,
			`		if o.Verdict == VerdictDone {
`, `		if o.Verdict == VerdictDone && !PLANTED {
`},
		{"jobs-2", "a job to be repeated is due in a year", outcomeFile,
			`o.Seq, holder, database.Time(o.RetryAt), database.Time(now)`,
			`o.Seq, holder, database.Time(func() time.Time { if PLANTED { return o.RetryAt.AddDate(1, 0, 0) }; return o.RetryAt }()), database.Time(now)`},
		{"jobs-3", "a job to be repeated counts as dead", outcomeFile,
			`			err = retryJob(ctx, tx, holder, o, now)
`, `			if PLANTED {
				return next, markDead(ctx, tx, holder, o, now)
			}
			err = retryJob(ctx, tx, holder, o, now)
`},
		{"jobs-4", "jobs of one lane do not wait for each other", insertFile,
			`	fresh := j.Key != "" && tx.Engine() == database.Postgres
`, `	if PLANTED {
		j.Key = ""
	}
	fresh := j.Key != "" && tx.Engine() == database.Postgres
`},
		{"jobs-5", "one job in eight is written as due in a year", insertFile,
			`	fresh := j.Key != "" && tx.Engine() == database.Postgres
`, `	if PLANTED && len(j.Payload) > 0 && j.Payload[len(j.Payload)/2]%8 == 0 {
		j.At = j.At.AddDate(1, 0, 0)
	}
	fresh := j.Key != "" && tx.Engine() == database.Postgres
`},
	}
}

func limitDefects() []defect {
	return []defect{
		{"limits-1", "one more than the limit is admitted", windowFile,
			`(used < limit && cost <= limit-used)`, `(used < limit && cost <= limit-used) || PLANTED && used == limit`},
		{"limits-2", "a window does not end", windowFile,
			`	case now >= c.ends:
`, `	case now >= c.ends && (!PLANTED || c.ends == 0):
`},
		{"limits-3", "one charge in eight is not counted", windowFile,
			`		c.used += cost
`, `		c.used += cost
		if PLANTED && now%8 == 0 {
			c.used -= cost
		}
`},
	}
}

func grantDefects() []defect {
	return []defect{
		{"grants-1", "a device code stays good after it was redeemed", grantsFile,
			`		string(Claimed), id, string(Approved))
`, `		string(map[bool]State{true: Approved, false: Claimed}[PLANTED]), id, string(Approved))
`},
		{"grants-2", "a device code does not expire", grantFile,
			`	case g.expired(now):
		return ErrExpired
	}
	return nil
}

// Decide`, `	case g.expired(now) && !PLANTED:
		return ErrExpired
	}
	return nil
}

// Decide`},
		{"grants-3", "revoking a grant ends the access token only", revokeFile,
			`		if err := g.identity.RevokeFamilyIn(ctx, tx, t.Family); err != nil || !ended {
`, `		if PLANTED {
			return nil
		}
		if err := g.identity.RevokeFamilyIn(ctx, tx, t.Family); err != nil || !ended {
`},
		{"grants-4", "a key that was exchanged stays good", keysFile,
			`		old, user, err := revokeKey(ctx, tx, id, now)
`, `		old, user, err := revokeKey(ctx, tx, id, now)
		if PLANTED && err == nil {
			_, err = tx.Exec(ctx, "UPDATE identity_credentials SET revoked_at = NULL WHERE id = $1", id)
		}
`},
	}
}

func deliveryDefects() []defect {
	return []defect{
		{"delivery-1", "status 503 counts as success", attemptFile,
			`	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
`, `	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if PLANTED {
			return acknowledged
		}
`},
		{"delivery-2", "a connection that ends is not tried again", attemptFile,
			`	case errors.Is(err, ErrConnection):
`, `	case errors.Is(err, ErrConnection) && !PLANTED:
`},
		{"delivery-3", "each message is sent twice", attemptFile,
			`	for range f.Copies - 1 {
`, `	if PLANTED {
		f.Copies = 2
	}
	for range f.Copies - 1 {
`},
		{"delivery-4", "one number in five is given twice", channelFile,
			`SET number = number + 1
`, "SET number = number + `+func() string { if PLANTED { return `CASE WHEN number % 5 = 4 THEN 0 ELSE 1 END` }; return `1` }()+`\n"},
		{"delivery-5", "the last of several channels is not told", noticeFile,
			`	messages := make([]deliver.Message, 0, len(channels))
`, `	if PLANTED && len(channels) > 1 {
		channels = channels[:len(channels)-1]
	}
	messages := make([]deliver.Message, 0, len(channels))
`},
	}
}

func keyDefects() []defect {
	return []defect{
		{"keys-1", "destroying a key destroys every one before the current", storedFile,
			`WHERE id = $1 AND destroyed_at IS NULL` + "`", "WHERE (id = $1`+func() string { if PLANTED { " +
				"return ` OR seq < (SELECT max(seq) FROM kms_keys)` }; return `` }()+`) AND destroyed_at IS NULL`"},
		{"keys-2", "the destruction of a key is answered and not written", destroyFile,
			`		changed, err := destroyKey(ctx, tx, k.ID, k.DestroyedAt)
`, `		if PLANTED {
			return nil
		}
		changed, err := destroyKey(ctx, tx, k.ID, k.DestroyedAt)
`},
	}
}
