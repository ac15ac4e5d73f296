-- The private items of an author are few, and counted beside the kept number of the others.
CREATE INDEX articles_items_private ON articles_items (user_id, team_id, number) WHERE private;
