import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderOrganization } from "../presentation/organization.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { listPrivateKeys } from "../store/private-keys.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { OrganizationData } from "../wire/objects.ts";

/** Everything in the organization's document, as the other queries show its parts. */
export const getOrganization = defineQuery({
  name: "get_organization",
  tag: "Organizations",
  summary: "Get organization",
  description:
    "Get an organization as a whole: its users, policies, private keys, invitations, tags, root quorum, features, wallets and contract interfaces.",
  requestName: "GetOrganizationRequest",
  responseName: "GetOrganizationResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ organizationData: OrganizationData }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  async answer({ db, organizationId, document, nowMs }) {
    const userIds = document.users.map(({ userId }) => userId);
    const keyIds = document.privateKeys.map(({ privateKeyId }) => privateKeyId);
    const [sessions, keys] = await Promise.all([
      listSessionEntries(db, organizationId, userIds),
      listPrivateKeys(db, organizationId, keyIds),
    ]);
    return { organizationData: renderOrganization(document, { sessions, keys, nowMs }) };
  },
});
