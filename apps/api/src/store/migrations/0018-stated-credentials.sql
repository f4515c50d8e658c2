-- Whether a user registered the credential without a permission, in a top-level organization. It may be that of
-- somebody in a sub-organization, so it counts less than theirs.
ALTER TABLE lookups ADD COLUMN is_stated boolean NOT NULL DEFAULT false;
