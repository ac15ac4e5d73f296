-- The check value of the root key that the database was first opened with. A
-- process that brings another key would seal what the others cannot open.
CREATE TABLE world_key (
    id BIGINT PRIMARY KEY,
    check_value TEXT NOT NULL
);

-- One row that every readiness check writes: whether a process can write is known
-- only by writing.
CREATE TABLE world_readiness (
    id BIGINT PRIMARY KEY,
    checks BIGINT NOT NULL
);
