-- Claims run at the same time on PostgreSQL, which a row for many jobs does not allow.
SELECT 1;
