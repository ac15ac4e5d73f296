package deliver

// Purpose is that of the box that seals the requests of messages.
const Purpose = "deliver"

// SealedRows selects the id, the place and the sealed request of the messages after $1, by
// id, at most $2 of them.
const SealedRows = `SELECT id, id, request FROM deliver_messages WHERE id > $1 ORDER BY id LIMIT $2`
