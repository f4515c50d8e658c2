import type { Proposal } from "@keyhearth/engine/core/protocol";
import type { Host } from "../host/host.ts";
import { type CommitUnit, unitOf } from "../store/commit-unit.ts";
import { ofBody, type StoredDocument } from "../store/organizations.ts";
import { confirmProposal } from "./confirm.ts";

/**
 * Commits the founding of an organization and reports it to the signer. Null if the organization
 * exists, or if the database already has a root organization and this would be one.
 */
export async function commitFounding(
  host: Host,
  proposal: Proposal,
  { isRoot = false, signup = null }: Partial<Pick<CommitUnit, "isRoot" | "signup">> = {},
): Promise<StoredDocument | null> {
  const unit = { ...unitOf(proposal, null), isRoot, signup };
  const [row] = unit.organizations;
  if (!row) throw new Error("a founding without an organization");
  if (!(await host.committer.commit(unit))) return null;
  await confirmProposal(host, proposal);
  host.metrics.activity(unit.activity.type, unit.activity.status);
  return ofBody(row);
}
