-- Every key id that was ever published here. Rows are never deleted, so that an
-- id is never given out twice. seq is the order of publication; it is 0 for a
-- version of a remote key that was never current here and was destroyed by name.
-- material is the key itself, sealed under the root key, for keys of the local
-- provider; destroying a key removes it.
CREATE TABLE kms_keys (
    id {{text}} PRIMARY KEY,
    seq BIGINT NOT NULL,
    provider {{text}} NOT NULL,
    version {{text}} NOT NULL,
    stamp {{text}} NOT NULL,
    material {{blob}},
    created_at {{text}} NOT NULL,
    destroyed_at {{text}}
);

CREATE UNIQUE INDEX kms_keys_seq ON kms_keys (seq) WHERE seq > 0;
