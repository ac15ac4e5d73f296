-- One row per job that is not finished. due is when the current attempt was to
-- start; claim_at is when a worker may take the row: due while it waits, the
-- end of the lease while it runs. state is ready, blocked, running, suspect or
-- dead. A fresh job has not been given its place on its lane yet. owner is whose
-- work it is, holder the process that has its lease. deaths counts the processes
-- that ended while they held it; alone is set while it runs with no other beside it. A safe
-- job cannot be why a process ended.
CREATE TABLE stoa_jobs (
    seq {{serial}},
    kind {{text}} NOT NULL,
    version BIGINT NOT NULL,
    payload {{blob}} NOT NULL,
    key {{text}} NOT NULL,
    dedupe {{text}} NOT NULL,
    state {{text}} NOT NULL,
    fresh {{bool}} NOT NULL,
    asked {{text}} NOT NULL,
    due {{text}} NOT NULL,
    claim_at {{text}} NOT NULL,
    attempt BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    owner {{text}} NOT NULL,
    holder {{text}} NOT NULL,
    deaths BIGINT NOT NULL,
    alone {{bool}} NOT NULL,
    safe {{bool}} NOT NULL,
    enqueued {{text}} NOT NULL,
    failed {{text}},
    error {{text}} NOT NULL
);

-- What a worker may take of a kind, in the order it takes it. Blocked rows are
-- not in it, so a lane of any length costs the claim nothing; nor does the
-- backlog of other kinds.
CREATE INDEX stoa_jobs_claim ON stoa_jobs (kind, claim_at, seq) WHERE state IN ('ready', 'running');

-- The work of an owner: what is due, and how much there is. Jobs without an
-- owner are not in it.
CREATE INDEX stoa_jobs_owner ON stoa_jobs (kind, owner, state, claim_at, seq) WHERE owner <> '' AND state <> 'dead';

-- What waits to run alone.
CREATE INDEX stoa_jobs_suspect ON stoa_jobs (claim_at, seq) WHERE state = 'suspect';

-- The jobs of a lane in their order, and the one that holds it: never two.
CREATE INDEX stoa_jobs_lane ON stoa_jobs (key, seq) WHERE key <> '' AND state <> 'dead';
CREATE UNIQUE INDEX stoa_jobs_head ON stoa_jobs (key) WHERE key <> '' AND state IN ('ready', 'running', 'suspect');
CREATE INDEX stoa_jobs_fresh ON stoa_jobs (seq) WHERE fresh;

-- One waiting job for each dedupe word of a kind.
CREATE UNIQUE INDEX stoa_jobs_dedupe ON stoa_jobs (kind, dedupe)
    WHERE dedupe <> '' AND state IN ('ready', 'blocked');

CREATE INDEX stoa_jobs_dead ON stoa_jobs (failed) WHERE state = 'dead';

CREATE TABLE stoa_schedules (
    name {{text}} PRIMARY KEY,
    spec {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    payload {{blob}} NOT NULL,
    catch_up {{bool}} NOT NULL,
    next {{text}} NOT NULL,
    last {{text}}
);
