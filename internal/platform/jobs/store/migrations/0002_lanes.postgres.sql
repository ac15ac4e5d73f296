-- Processes that change the order of a lane lock its row here first. A row
-- stands for a bucket of lanes, so that the table never grows.
CREATE TABLE stoa_job_lanes (
    bucket BIGINT PRIMARY KEY
);

INSERT INTO stoa_job_lanes (bucket) SELECT n FROM generate_series(0, 1023) AS n;

-- Every job is inserted, updated twice and deleted: clean up early.
ALTER TABLE stoa_jobs SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
