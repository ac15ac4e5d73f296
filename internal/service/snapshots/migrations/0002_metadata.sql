-- What an owner says about a metric, which goes before what senders say. Empty
-- and 0 are unsaid.
ALTER TABLE snapshots_metrics ADD COLUMN edited_kind {{text}} NOT NULL DEFAULT '';
ALTER TABLE snapshots_metrics ADD COLUMN edited_interval BIGINT NOT NULL DEFAULT 0;
ALTER TABLE snapshots_metrics ADD COLUMN edited_unit {{text}} NOT NULL DEFAULT '';
ALTER TABLE snapshots_metrics ADD COLUMN description {{text}} NOT NULL DEFAULT '';
ALTER TABLE snapshots_metrics ADD COLUMN short_name {{text}} NOT NULL DEFAULT '';
