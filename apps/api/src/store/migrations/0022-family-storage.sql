-- How much each organization stores, a top-level one with its sub-organizations. Commits write what they add
-- on their leaves, and the claim of a segment adds it here. So no commit waits for these rows.

-- Every record is counted once, and each table is read in the order in which it is stored.
SET LOCAL enable_seqscan = on;

CREATE TABLE organization_storage (
  organization_id uuid PRIMARY KEY,
  bytes bigint NOT NULL
);

-- The sums that `store/family-storage.ts` would have made of the rows.
INSERT INTO organization_storage (organization_id, bytes)
  SELECT charged.id, sum(s.bytes)
  FROM (
    SELECT organization_id,
      sum(2048 + octet_length(record) + coalesce(octet_length(statement), 0)) AS bytes
    FROM activities GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record))
    FROM organization_documents GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record)) FROM wallets GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record))
    FROM wallet_accounts GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record)) FROM private_keys GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record))
    FROM smart_contract_interfaces GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + octet_length(record)) FROM otps GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024) FROM webhook_deliveries GROUP BY organization_id
    UNION ALL
    SELECT organization_id, sum(1024 + coalesce(octet_length(body), 0)) FROM denials GROUP BY organization_id
  ) s JOIN organizations o ON o.organization_id = s.organization_id
    CROSS JOIN LATERAL (VALUES (o.organization_id), (o.parent_organization_id)) AS charged (id)
  WHERE charged.id IS NOT NULL GROUP BY charged.id;

-- What the commit of the leaf has stored, until the leaf is sealed.
ALTER TABLE leaves ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
