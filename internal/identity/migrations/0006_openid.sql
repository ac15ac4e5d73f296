-- The private keys that sign id tokens, sealed under the root key.
CREATE TABLE identity_signing_keys (
    id         {{text}} NOT NULL PRIMARY KEY,
    sealed     {{blob}} NOT NULL,
    created_at {{text}} NOT NULL
);

-- What an id token repeats of the request and the sign-in behind a grant.
ALTER TABLE identity_grants ADD COLUMN nonce {{text}} NOT NULL DEFAULT '';
ALTER TABLE identity_grants ADD COLUMN signed_in_at {{text}};
