-- SQLite has one writer: counting needs no locks of its own there.
SELECT 1;
