import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { AuthenticatorParams, AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { AuthenticatorId, list, UserId } from "../fields/schemas.ts";
import {
  checkAuthenticatorCount,
  checkAuthenticators,
  createAuthenticators as createPasskeys,
  fromBrowser,
} from "../people/authenticators.ts";
import { keyHolderWant, takenPublicKeys } from "../people/taken-keys.ts";
import { requireUser } from "../records/organization.ts";

const result = z.strictObject({
  authenticatorIds: z
    .array(AuthenticatorId)
    .describe("Ids of the authenticators, in the order of the request."),
});

/** Registers passkeys of a user. */
export const createAuthenticators = defineActivity({
  name: "create_authenticators",
  tag: "Authenticators",
  summary: "Create authenticators",
  description: "Add passkeys to an existing user.",
  policy: { resource: "CREDENTIAL", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
  versions: {
    ACTIVITY_TYPE_CREATE_AUTHENTICATORS: {
      intentKey: "createAuthenticatorsIntent",
      resultKey: "createAuthenticatorsResult",
      intent: z.strictObject({
        authenticators: list(AuthenticatorParams, "Passkeys to register."),
        userId: UserId,
      }),
      result,
    },
    ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: {
      intentKey: "createAuthenticatorsIntentV2",
      resultKey: "createAuthenticatorsResult",
      intent: z.strictObject({
        authenticators: list(AuthenticatorParamsV2, "Passkeys to register."),
        userId: UserId,
      }),
      result,
    },
  },
  example: {
    authenticators: [
      {
        authenticatorName: "phone",
        challenge: "R2oC4gn_v5AJQerbALdvsr2YiA5Brefch8kVWbYkBrI",
        attestation: {
          credentialId: "6kHtPPqRTKaLms_L0xFKpw",
          clientDataJson:
            "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiUjJvQzRnbl92NUFKUWVyYkFMZHZzcjJZaUE1QnJlZmNoOGtWV2JZa0JySSIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLmV4YW1wbGUuY29tIiwiY3Jvc3NPcmlnaW4iOmZhbHNlfQ",
          attestationObject:
            "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViUKAWYKbEFHwTvAxGQZ8DOCeBSd2EokPjgh08djs4a4DRFAAAAAAAAAAAAAAAAAAAAAAAAAAAAEOpB7Tz6kUymi5rPy9MRSqelAQIDJiABIVggtyOg39SQbnssSbTvkHjKVRG23FkjM-gV8fUoh24derEiWCBYmZc1_HkkPwqwZjpZZBKwK2i85lYpYBSQl7vuhl3Akg",
          transports: ["AUTHENTICATOR_TRANSPORT_HYBRID"],
        },
      },
    ],
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },
  upgrade: {
    ACTIVITY_TYPE_CREATE_AUTHENTICATORS: ({ authenticators, userId }) => ({
      authenticators: authenticators.map(fromBrowser),
      userId,
    }),
  },
  isOwn: ({ userId }, user) => userId === user.userId,
  wants: ({ authenticators }) => [keyHolderWant({ authenticators })],
  registersPasskeys: ({ authenticators }) => authenticators.length > 0,

  check({ document, records, registrations, nowMs }, { userId, authenticators }) {
    const user = requireUser(document, userId);
    const field = "parameters.authenticators";
    const taken = takenPublicKeys({ document, records, nowMs });
    checkAll(
      () => checkAuthenticatorCount(user, authenticators, field),
      () => checkAuthenticators(authenticators, field, { taken, registrations }),
    );
  },

  execute(context, { userId, authenticators }) {
    const created = createPasskeys(authenticators, context);
    const owner = requireUser(context.update(), userId);
    if (created.length > 0) {
      owner.authenticators.push(...created);
      owner.updatedAtMs = context.nowMs;
    }
    return { authenticatorIds: created.map(({ authenticatorId }) => authenticatorId) };
  },
});
