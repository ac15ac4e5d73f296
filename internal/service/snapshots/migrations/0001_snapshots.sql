-- Pictures that were asked for. id is the unguessable part of the address.
-- sha256 names the stored bytes once they exist; pictures that look alike
-- share them. digest names the owner and the request: those that wait for the
-- same picture are served by drawing it once.
CREATE TABLE snapshots_graphs (
    id {{text}} PRIMARY KEY,
    org {{text}} NOT NULL,
    digest {{text}} NOT NULL,
    path {{text}} NOT NULL,
    request {{text}} NOT NULL,
    state {{text}} NOT NULL CHECK (state IN ('pending', 'ready', 'failed')),
    sha256 {{text}} NOT NULL DEFAULT '',
    reason {{text}} NOT NULL DEFAULT '',
    created_at {{text}} NOT NULL,
    expires_at {{text}}
);
CREATE INDEX snapshots_graphs_expiry ON snapshots_graphs (expires_at);
CREATE INDEX snapshots_graphs_waiting ON snapshots_graphs (digest) WHERE state = 'pending';

-- What is known about a metric beside its points. seen is written about once a
-- day while the metric is submitted.
CREATE TABLE snapshots_metrics (
    org {{text}} NOT NULL,
    metric {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    interval_s BIGINT NOT NULL,
    unit {{text}} NOT NULL,
    seen {{text}} NOT NULL,
    PRIMARY KEY (org, metric)
);
CREATE INDEX snapshots_metrics_seen ON snapshots_metrics (seen);

-- Events, drawn as bands. happened is Unix seconds; tags is a JSON list.
CREATE TABLE snapshots_events (
    id BIGINT PRIMARY KEY,
    org {{text}} NOT NULL,
    happened BIGINT NOT NULL,
    title {{text}} NOT NULL,
    body {{text}} NOT NULL,
    priority {{text}} NOT NULL,
    alert_type {{text}} NOT NULL,
    host {{text}} NOT NULL,
    source {{text}} NOT NULL,
    tags {{text}} NOT NULL,
    aggregation_key {{text}} NOT NULL,
    device_name {{text}} NOT NULL,
    related_event_id BIGINT NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX snapshots_events_time ON snapshots_events (org, happened);
