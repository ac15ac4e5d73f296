-- An answer of a receiver brings forward what an owner has waiting for it, and not what waits for others. host is that of
-- the address, with its port; it is filled in for what is on its way.
ALTER TABLE deliver_messages ADD COLUMN host {{text}} NOT NULL DEFAULT '';

UPDATE deliver_messages SET host = substr(address, instr(address, '://') + 3) WHERE state = 'pending';
UPDATE deliver_messages SET host = substr(host, 1, instr(host, '/') - 1) WHERE state = 'pending' AND instr(host, '/') > 0;
UPDATE deliver_messages SET host = substr(host, 1, instr(host, '?') - 1) WHERE state = 'pending' AND instr(host, '?') > 0;

DROP INDEX deliver_messages_retrying;
CREATE INDEX deliver_messages_retrying ON deliver_messages (owner, host, next_attempt)
    WHERE state = 'pending' AND attempts > 0 AND channel <> '';
