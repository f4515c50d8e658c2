import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ApiKeyParamsV2, AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { Email, label, OrganizationId, UserId } from "../fields/schemas.ts";
import {
  NO_AUTHENTICATOR,
  NO_AUTHENTICATOR_V2,
  ShownRootAuthenticator,
  ShownRootAuthenticatorV2,
  ShownRootEmail,
} from "../fields/shown.ts";

const first = z.strictObject({
  organizationName: label("Name of the organization."),
  rootUserName: label("Name of the root user."),
  rootUserEmail: Email.optional(),
  apiKey: ApiKeyParamsV2,
});

const latest = z.strictObject({
  organizationName: first.shape.organizationName,
  rootEmail: Email.describe("Email address of the root user.").optional(),
  rootUserName: label(
    "Name of the root user. By default the email address, or `Root user`.",
  ).optional(),
  rootApiKey: ApiKeyParamsV2.describe(
    "An API key of the root user, which does not expire. It stamps this request, unless the passkey does.",
  ).optional(),
  rootAuthenticator: AuthenticatorParamsV2.describe(
    "A passkey of the root user. It stamps this request, unless the API key does.",
  ).optional(),
});

export type NewOrganization = z.output<typeof latest>;

const result = z.strictObject({
  organizationId: OrganizationId,
  userId: UserId.describe("Unique identifier of the root user."),
});

/**
 * Founds a top-level organization. There is no organization yet whose users could decide this, so
 * `activities/decide-founding.ts` handles it and not `execute`.
 */
export const createOrganization = defineActivity({
  name: "create_organization",
  tag: "Organizations",
  summary: "Create organization",
  description:
    "Create a top-level organization with one root user. Stamp the request with the credential that it registers, and send it to the `rootOrganizationId` of /.well-known/keyhearth.json. The service must be open for signup. The activity belongs to the new organization.",
  policy: { resource: "ORGANIZATION", action: "CREATE" },
  sentBy: ["founder"],
  defaultType: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
  versions: {
    ACTIVITY_TYPE_CREATE_ORGANIZATION: {
      intentKey: "createOrganizationIntent",
      resultKey: "createOrganizationResult",
      intent: first,
      result,
      shown: {
        schema: first.extend({
          rootEmail: ShownRootEmail,
          rootAuthenticator: ShownRootAuthenticator,
        }),
        of: (intent) => ({
          ...intent,
          rootEmail: intent.rootUserEmail ?? "",
          rootAuthenticator: NO_AUTHENTICATOR,
        }),
      },
    },
    ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: {
      intentKey: "createOrganizationIntentV2",
      resultKey: "createOrganizationResult",
      intent: latest,
      result,
      shown: {
        schema: latest.extend({
          rootEmail: ShownRootEmail,
          rootAuthenticator: ShownRootAuthenticatorV2,
        }),
        of: (intent) => ({ rootEmail: "", rootAuthenticator: NO_AUTHENTICATOR_V2, ...intent }),
      },
    },
  },
  example: {
    organizationName: "Acme",
    rootEmail: "ada@example.com",
    rootUserName: "Ada",
    rootApiKey: {
      apiKeyName: "laptop",
      publicKey: "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
      curveType: "API_KEY_CURVE_P256",
    },
  },
  upgrade: {
    ACTIVITY_TYPE_CREATE_ORGANIZATION: ({ apiKey, rootUserEmail, ...rest }) => ({
      ...rest,
      ...(rootUserEmail !== undefined && { rootEmail: rootUserEmail }),
      rootApiKey: apiKey,
    }),
  },

  execute() {
    throw new Error("no organization decides about the founding of another one");
  },
});
