-- What a process holds is found at its start and its end without reading what waits or is dead.
CREATE INDEX stoa_jobs_held ON stoa_jobs (holder) WHERE state = 'running';
