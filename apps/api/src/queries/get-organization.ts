import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderOrganization } from "../presentation/organization.ts";
import { MAX_LIST_BYTES, showPrivateKeys } from "../presentation/private-keys.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { OrganizationData } from "../wire/objects.ts";

/** Everything in the organization's document, as the other queries show its parts. */
export const getOrganization = defineQuery({
  name: "get_organization",
  tag: "Organizations",
  summary: "Get organization",
  description:
    "Get an organization as a whole: its users, policies, private keys, invitations, tags, root quorum, features, wallets and contract interfaces. If the records of its private keys have more than 4 MiB together, the addresses of the last ones have no proof: get_private_key returns each.",
  requestName: "GetOrganizationRequest",
  responseName: "GetOrganizationResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ organizationData: OrganizationData }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  maxBytes: MAX_LIST_BYTES,
  mayAskStandby: true,
  async answer(context) {
    const { db, organizationId, document, nowMs } = context;
    const userIds = document.users.map(({ userId }) => userId);
    const privateKeys = await showPrivateKeys(context);
    const sessions = await listSessionEntries(db, organizationId, userIds);
    return { organizationData: renderOrganization(document, { sessions, privateKeys, nowMs }) };
  },
});
