-- What an owner has waiting for another attempt: an answer of its receiver brings it forward.
CREATE INDEX deliver_messages_retrying ON deliver_messages (owner, next_attempt)
    WHERE state = 'pending' AND attempts > 0 AND channel <> '';
