-- Counters shared by all processes. Times are Unix nanoseconds of the world's
-- clock. id is a hash of window and key: keys may be secrets or addresses.
-- Rows are updated in place all the time, hence the free space on each page.
CREATE TABLE stoa_limits (
    id {{blob}} PRIMARY KEY,
    name {{text}} NOT NULL,
    ends BIGINT NOT NULL,
    used BIGINT NOT NULL,
    ok BOOLEAN NOT NULL,
    body {{blob}},
    expires BIGINT NOT NULL
) WITH (fillfactor = 60);

CREATE INDEX stoa_limits_expires ON stoa_limits (expires);

-- Holders of a gate, each by the moment at which it counts no more.
CREATE TABLE stoa_limit_gates (
    id {{blob}} PRIMARY KEY,
    name {{text}} NOT NULL,
    holds BIGINT[] NOT NULL,
    ok BOOLEAN NOT NULL,
    expires BIGINT NOT NULL
) WITH (fillfactor = 60);
