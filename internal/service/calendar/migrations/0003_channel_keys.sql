-- A channel of a token made by hand ends with that token; 0 for those of clients, which end with the consent.
ALTER TABLE calendar_channels ADD COLUMN key_id BIGINT NOT NULL DEFAULT 0;
