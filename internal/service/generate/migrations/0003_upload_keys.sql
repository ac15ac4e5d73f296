-- An upload ends with the credential that began it; 0 where none did, or it is not known.
ALTER TABLE generate_uploads ADD COLUMN key_id BIGINT NOT NULL DEFAULT 0;
