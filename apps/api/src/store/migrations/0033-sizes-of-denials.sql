-- A denial is charged with its error from now on, which takes most of it. When it is removed, that is taken off again,
-- so those that are kept already are charged the rest here.
UPDATE organization_storage f SET bytes = f.bytes + kept.bytes
  FROM (
    SELECT charged.id, sum(octet_length(d.error::text))::bigint AS bytes
    FROM denials d JOIN organizations o ON o.organization_id = d.organization_id
      CROSS JOIN LATERAL (VALUES (o.organization_id), (o.parent_organization_id)) AS charged (id)
    WHERE charged.id IS NOT NULL GROUP BY charged.id
  ) kept
  WHERE f.organization_id = kept.id;
