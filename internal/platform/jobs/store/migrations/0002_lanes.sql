-- SQLite has one writer: lanes need no locks of their own there.
SELECT 1;
