package identity

import (
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Now is the world's time as identity stores it.
func (i *Identity) Now() time.Time { return i.now() }

// ForgetUserIn forgets what is known of a user's credentials once the transaction is
// durable, and tells those who watch.
func (i *Identity) ForgetUserIn(tx *database.Tx, id int64) { tx.OnCommit(func() { i.userChanged(id) }) }

// ForgetAllIn forgets all that is known of credentials once the transaction is durable.
func (i *Identity) ForgetAllIn(tx *database.Tx) { tx.OnCommit(i.forgetAll) }
