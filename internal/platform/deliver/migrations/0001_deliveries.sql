-- The delivery log: one row per message. request is the sealed address, headers and body; address is what may be
-- shown of it. state is pending, delivered, failed or canceled.
CREATE TABLE deliver_messages (
    id {{text}} PRIMARY KEY,
    service {{text}} NOT NULL,
    channel {{text}} NOT NULL,
    owner {{text}} NOT NULL,
    address {{text}} NOT NULL,
    request {{blob}} NOT NULL,
    state {{text}} NOT NULL,
    attempts BIGINT NOT NULL,
    status BIGINT NOT NULL,
    duration_us BIGINT NOT NULL,
    last_error {{text}} NOT NULL,
    created {{text}} NOT NULL,
    deadline {{text}},
    next_attempt {{text}},
    finished {{text}},
    resend_of {{text}} NOT NULL
);

-- The log, newest first.
CREATE INDEX deliver_messages_created ON deliver_messages (created, id);

-- What a channel still has to send, for canceling.
CREATE INDEX deliver_messages_pending ON deliver_messages (channel) WHERE state = 'pending';

-- How many messages an owner has waiting for a host, and in all where the host is empty: the sum of the parts.
CREATE TABLE deliver_waiting (
    owner {{text}} NOT NULL,
    host {{text}} NOT NULL,
    part BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (owner, host, part)
);

-- What has been kept long enough.
CREATE INDEX deliver_messages_finished ON deliver_messages (finished) WHERE state <> 'pending';
