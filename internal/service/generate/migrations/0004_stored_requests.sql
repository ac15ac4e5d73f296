-- total is how many bytes the user's entries had up to this one, so that the oldest can go where all are too many.
ALTER TABLE generate_log ADD COLUMN total BIGINT NOT NULL DEFAULT 0;
CREATE INDEX generate_log_total ON generate_log (user_id, total);
