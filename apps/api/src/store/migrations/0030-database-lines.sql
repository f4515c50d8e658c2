-- Each line of history that the database has had: its cluster and its timeline, which a failover replaces. The mark is
-- written by the primary of that line, so a standby that has it follows this primary and no other.
CREATE TABLE database_lines (
  line text PRIMARY KEY,
  mark uuid NOT NULL
);
