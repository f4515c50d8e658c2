-- The top-level organizations that strangers founded by signing up, and from where. What those families send counts
-- apart from what the operator's own organizations need.
CREATE TABLE signups (
  organization_id uuid PRIMARY KEY,
  -- Hashes of the client's network and of the IPv6 site that it belongs to. Null if they are not known.
  network_hash text,
  site_hash text
);

-- Until now, only the first start founded an organization without a signup.
INSERT INTO signups (organization_id)
  SELECT organization_id FROM organizations
  WHERE parent_organization_id IS NULL
    AND organization_id NOT IN (SELECT organization_id FROM root_organization);
