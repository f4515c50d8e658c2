import { checkAll, notLoaded } from "../errors.ts";
import { checkExported } from "../keys/exported.ts";
import { newOrganizationDocument, type OrganizationDocument } from "../records/organization.ts";
import { ORIGINS_FEATURE } from "./passkey-origins.ts";
import type { PersonTools } from "./tools.ts";

/** Nobody can do anything in an organization that was deleted. It is refused like an unknown one. */
export function assertNotDeleted({ organizationId, deletedAtMs }: OrganizationDocument) {
  if (deletedAtMs !== null) throw notLoaded(organizationId);
}

/** Refuses to delete an organization with keys that were never exported: no copy would be left. */
export function checkAllExported(
  { wallets, privateKeys }: OrganizationDocument,
  deleteWithoutExport: boolean | undefined,
) {
  const field = "parameters.deleteWithoutExport";
  const check = (noun: string, id: string, exported: boolean) => () =>
    checkExported({ noun, id, exported, deleteWithoutExport }, field);
  checkAll(
    ...wallets.map(({ walletId, exported }) => check("wallet", walletId, exported)),
    ...privateKeys.map(({ privateKeyId, exported }) => {
      return check("private key", privateKeyId, exported);
    }),
  );
}

/**
 * The last version of the document. It lists nothing, so no record of the organization is bound. Only
 * its list of origins stays: it holds for sub-organizations too, of which the core does not know (decision 9).
 */
export function deleteOrganization(context: PersonTools) {
  const { organizationId, parentOrganizationId, createdAtMs, closed, features } = context.document;
  Object.assign(
    context.update(),
    newOrganizationDocument({
      organizationId,
      organizationName: "",
      parentOrganizationId,
      createdAtMs,
      users: [],
      rootQuorum: { threshold: 1, userIds: [] },
      closed,
      features: features.filter(({ name }) => name === ORIGINS_FEATURE),
      deletedAtMs: context.nowMs,
    }),
  );
}
