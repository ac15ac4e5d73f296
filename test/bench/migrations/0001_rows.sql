CREATE TABLE bench_rows (
    id BIGINT PRIMARY KEY,
    title {{text}} NOT NULL,
    made {{text}} NOT NULL
);
