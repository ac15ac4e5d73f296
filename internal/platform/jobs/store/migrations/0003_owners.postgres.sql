-- Whoever adds jobs of an owner whose number is bounded writes a row here first,
-- so that transactions that run at once count one after the other. A row stands
-- for a bucket of owners and kinds, so that the table never grows.
CREATE TABLE stoa_job_owners (
    bucket BIGINT PRIMARY KEY,
    entered BIGINT NOT NULL
);

INSERT INTO stoa_job_owners (bucket, entered) SELECT n, 0 FROM generate_series(0, 1023) AS n;

ALTER TABLE stoa_job_owners SET (fillfactor = 10);
