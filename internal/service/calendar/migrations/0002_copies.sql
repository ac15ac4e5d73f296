-- The copy of an event on the calendar of a guest names the organizer's calendar.
ALTER TABLE calendar_events ADD COLUMN origin {{text}} NOT NULL DEFAULT '';

-- The copies of an event, and of a calendar.
CREATE INDEX calendar_events_origin ON calendar_events (origin, id) WHERE origin <> '';
