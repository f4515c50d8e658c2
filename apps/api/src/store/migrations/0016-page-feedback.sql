-- What readers say about pages of the site. Anybody can send it, so nothing else reads it, and every row
-- may be deleted. It has nothing that says who sent it.
CREATE TABLE page_feedback (
  feedback_id uuid PRIMARY KEY,
  -- The path of the page.
  page text NOT NULL,
  is_helpful boolean NOT NULL,
  comment text,
  created_at_ms bigint NOT NULL
);

CREATE INDEX page_feedback_created ON page_feedback (created_at_ms);
