-- A user who was removed and is mentioned in what others keep. Nothing but the name is left.
ALTER TABLE identity_users ADD COLUMN removed_at {{text}};
