-- Jobs that a process holds by one row instead of one change of each: seqs is a list of their
-- numbers in JSON. Their own rows read as ready until the row here is spelled out or ends.
CREATE TABLE stoa_job_batches (
    holder {{text}} PRIMARY KEY,
    lease {{text}} NOT NULL,
    seqs {{text}} NOT NULL
);
