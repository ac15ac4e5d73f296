-- A receiver has one name, however its address is written (package receiver): lower case, without a dot at the end and
-- without the port that the scheme has anyway. What waits is counted again under these names.
UPDATE deliver_messages SET host = REPLACE(RTRIM(LOWER(host), '.'), '.:', ':') WHERE state = 'pending';
UPDATE deliver_messages SET host = SUBSTR(host, 1, LENGTH(host) - 4)
WHERE state = 'pending' AND host LIKE '%:443' AND LOWER(address) LIKE 'https:%';
UPDATE deliver_messages SET host = SUBSTR(host, 1, LENGTH(host) - 3)
WHERE state = 'pending' AND host LIKE '%:80' AND LOWER(address) LIKE 'http:%';

DELETE FROM deliver_waiting;
INSERT INTO deliver_waiting (owner, host, part, n)
SELECT owner, host, 0, COUNT(*) FROM deliver_messages WHERE state = 'pending' AND owner <> '' GROUP BY owner, host;
INSERT INTO deliver_waiting (owner, host, part, n)
SELECT owner, '', 0, COUNT(*) FROM deliver_messages WHERE state = 'pending' AND owner <> '' GROUP BY owner;
