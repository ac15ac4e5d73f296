package control

import (
	"time"

	"stoa.dev/stoa/internal/lab"
)

// longTime is how long calls that copy or run much may take.
const longTime = 2 * time.Minute

type createJSON struct {
	Name    string       `json:"name,omitempty"`
	From    string       `json:"from,omitempty"`
	Clock   clockJSON    `json:"clock,omitzero"`
	Seed    *uint64      `json:"seed,omitempty"`
	Dialect string       `json:"dialect,omitempty"`
	Expires duration     `json:"expires,omitzero"`
	Config  settingsJSON `json:"config,omitzero"`
	// SeedFile is the text of a seed file.
	SeedFile string `json:"seedFile,omitempty"`
}

type forkJSON struct {
	Name    string   `json:"name,omitempty"`
	Expires duration `json:"expires,omitzero"`
}

type saveJSON struct {
	Name string `json:"name"`
}

// worldJSON is a world; Env is left out in lists.
type worldJSON struct {
	Name      string            `json:"name"`
	URL       string            `json:"url"`
	PrefixURL string            `json:"prefixUrl"`
	HTTPSURL  string            `json:"httpsUrl"`
	CAFile    string            `json:"caFile"`
	KMSSocket string            `json:"kmsSocket"`
	State     string            `json:"state"`
	From      string            `json:"from"`
	Seed      uint64            `json:"seed"`
	Dialect   string            `json:"dialect"`
	CreatedAt time.Time         `json:"createdAt"`
	ExpiresAt *time.Time        `json:"expiresAt,omitempty"`
	Clock     clockJSON         `json:"clock"`
	Env       map[string]string `json:"env,omitempty"`
}

func toWorld(w *lab.World) worldJSON {
	i := w.Info()
	out := worldJSON{
		Name: i.Name, URL: i.URL, PrefixURL: i.PrefixURL, HTTPSURL: i.HTTPSURL, CAFile: i.CAFile,
		KMSSocket: i.KMSSocket, State: "asleep",
		From: i.From, Seed: i.Seed, Dialect: i.Dialect, CreatedAt: i.Created, Clock: toClock(w.Clock()),
	}
	if i.Awake {
		out.State = "awake"
	}
	if !i.Expires.IsZero() {
		out.ExpiresAt = &i.Expires
	}
	return out
}

type worldsJSON struct {
	Worlds []worldJSON `json:"worlds"`
}

type snapshotJSON struct {
	Name      string    `json:"name"`
	Bytes     int64     `json:"bytes"`
	CreatedAt time.Time `json:"createdAt"`
}

func toSnapshot(s lab.Snapshot) snapshotJSON {
	return snapshotJSON{Name: s.Name, Bytes: s.Bytes, CreatedAt: s.Created}
}

type snapshotsJSON struct {
	Snapshots []snapshotJSON `json:"snapshots"`
}
