-- A campaign: settings is what its owner chose, as JSON; metrics is how the
-- business did in the last report.
CREATE TABLE analytics_campaigns (
    id                {{text}} NOT NULL PRIMARY KEY,
    owner_id          BIGINT NOT NULL,
    name              {{text}} NOT NULL,
    settings          {{text}} NOT NULL,
    status            {{text}} NOT NULL CHECK (status IN ('CREATED', 'COLLECTING', 'COLLECTED', 'FAILED')),
    metrics           {{text}} NOT NULL,
    next_report       {{text}},
    created_at        {{text}} NOT NULL,
    status_updated_at {{text}} NOT NULL
);
CREATE INDEX analytics_campaigns_owner ON analytics_campaigns (owner_id, created_at, id);

-- One run of a campaign, with the points and keywords of that moment.
CREATE TABLE analytics_reports (
    campaign_id {{text}} NOT NULL REFERENCES analytics_campaigns (id) ON DELETE CASCADE,
    report_date {{text}} NOT NULL,
    state       {{text}} NOT NULL CHECK (state IN ('COLLECTING', 'COLLECTED', 'FAILED')),
    keywords    {{text}} NOT NULL,
    points      {{text}} NOT NULL,
    PRIMARY KEY (campaign_id, report_date)
);

-- Who ranks for one keyword of a report. names are the ids and customer numbers
-- of the places, one to a line; ranks is, for each point, their order; facts is
-- what is known about the places, as JSON. Heatmaps and history need only the
-- first two.
CREATE TABLE analytics_rankings (
    campaign_id {{text}} NOT NULL,
    report_date {{text}} NOT NULL,
    keyword_id  {{text}} NOT NULL,
    names       {{text}} NOT NULL,
    ranks       {{blob}} NOT NULL,
    facts       {{text}} NOT NULL,
    PRIMARY KEY (campaign_id, report_date, keyword_id),
    FOREIGN KEY (campaign_id, report_date) REFERENCES analytics_reports (campaign_id, report_date) ON DELETE CASCADE
);

-- What a person spent of a month's credits.
CREATE TABLE analytics_credits (
    owner_id BIGINT NOT NULL,
    month    {{text}} NOT NULL,
    spent    BIGINT NOT NULL,
    PRIMARY KEY (owner_id, month)
);
