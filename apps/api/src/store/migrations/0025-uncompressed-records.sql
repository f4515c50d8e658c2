-- Compressing a record of a megabyte takes longer than everything else that is done to store it, and the embedded
-- database does nothing else meanwhile. What makes records large, payloads and transactions, hardly gets smaller.
ALTER TABLE activities ALTER COLUMN record SET STORAGE EXTERNAL;
ALTER TABLE past_activities ALTER COLUMN record SET STORAGE EXTERNAL;
