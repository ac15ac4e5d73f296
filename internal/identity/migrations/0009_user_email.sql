-- Who has a mail address.
CREATE INDEX identity_users_email ON identity_users (lower(email), id) WHERE email <> '';
