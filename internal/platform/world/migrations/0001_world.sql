-- The check value of the root key that the database was first opened with. A
-- process that brings another key would seal what the others cannot open.
CREATE TABLE world_key (
    id BIGINT PRIMARY KEY,
    check_value TEXT NOT NULL
);
