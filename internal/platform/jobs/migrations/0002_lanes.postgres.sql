-- Who enqueues on a lane and who finishes a job of it must not miss each other:
-- both update the lane's row here first. A lane is a bucket of keys, so that
-- the table never grows.
CREATE TABLE stoa_job_lanes (
    bucket BIGINT PRIMARY KEY,
    turns BIGINT NOT NULL
) WITH (fillfactor = 50);

INSERT INTO stoa_job_lanes (bucket, turns) SELECT n, 0 FROM generate_series(0, 1023) AS n;

-- Every job is inserted, updated twice and deleted: clean up early.
ALTER TABLE stoa_jobs SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
