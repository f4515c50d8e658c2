import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { OauthProviderParams, OauthProviderParamsV2 } from "../fields/credentials.ts";
import { list, OauthProviderId, UserId } from "../fields/schemas.ts";
import {
  checkOauthProviderLimit,
  checkOauthProviders,
  createOauthProviders as createProviders,
  takenIdentities,
} from "../people/oauth-providers.ts";
import { requireUser } from "../records/organization.ts";

const ByToken = z.strictObject({
  userId: UserId,
  oauthProviders: list(OauthProviderParams, "Social logins to register."),
});

const result = z.strictObject({
  providerIds: z
    .array(OauthProviderId)
    .describe("Ids of the OAuth providers, in the order of the request."),
});

/**
 * Registers social logins of a user. Nothing proves that claims are the user's own, nor who asks with a
 * token that was made for another key, so users need a permission for it, even for themselves (decisions 10 and 13).
 */
export const createOauthProviders = defineActivity({
  name: "create_oauth_providers",
  tag: "User Auth",
  summary: "Create OAuth providers",
  description:
    "Add social logins to an existing user: the user is whoever a provider's token says that they are. An identity (issuer, audience and subject) belongs to one user of an organization. A token proves it if its nonce is the digest of the public key, in compressed lower-case hex, that stamps this request. Otherwise it is only stated, and logs its user in only with the id of this organization.",
  policy: { resource: "CREDENTIAL", action: "CREATE" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS",
  versions: {
    ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: {
      intentKey: "createOauthProvidersIntent",
      resultKey: "createOauthProvidersResult",
      intent: ByToken,
      result,
    },
    ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: {
      intentKey: "createOauthProvidersIntentV2",
      resultKey: "createOauthProvidersResultV2",
      intent: z.strictObject({
        userId: UserId,
        oauthProviders: list(OauthProviderParamsV2, "Social logins to register."),
      }),
      result,
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", oauthProviders: [] },
  upgrade: {
    // Only the social logins differ, and handlers read them in both forms.
    ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: (newer) =>
      newer as unknown as z.output<typeof ByToken>,
  },

  check({ document, registrations }, { userId, oauthProviders }) {
    const field = "parameters.oauthProviders";
    const user = requireUser(document, userId);
    const identities = takenIdentities(document);
    checkAll(
      () => checkOauthProviders(oauthProviders, field, { identities, registrations }),
      () => checkOauthProviderLimit(user, oauthProviders.length, field),
    );
  },

  execute(context, { userId, oauthProviders }) {
    const user = requireUser(context.update(), userId);
    const { newId, nowMs, registrations, startedBy: asker } = context;
    const created = createProviders(oauthProviders, { newId, nowMs, registrations, asker });
    user.oauthProviders.push(...created);
    user.updatedAtMs = nowMs;
    return { providerIds: created.map(({ providerId }) => providerId) };
  },
});
