-- How many bytes of pictures a user uploaded in a month, also of those deleted since.
CREATE TABLE articles_picture_months (
    user_id BIGINT NOT NULL,
    month   BIGINT NOT NULL,
    bytes   BIGINT NOT NULL,
    PRIMARY KEY (user_id, month)
);
INSERT INTO articles_picture_months (user_id, month, bytes)
SELECT user_id, month, SUM(bytes) FROM articles_pictures GROUP BY user_id, month;
