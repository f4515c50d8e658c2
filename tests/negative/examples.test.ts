import { queries } from "@keyhearth/api/queries/index";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { activities } from "@keyhearth/engine/activities/index";
import { beforeEach, expect, test } from "vitest";
import { newWorld, type World } from "./world.ts";

// Sends the example of every request that the reference page shows, with ids of the moment in their places.
// Readers copy these, so the service has to accept them, or refuse them for what an example cannot bring along.

let world: World;
beforeEach(async () => {
  world = await newWorld();
});

const submissions = activities.map(({ name, defaultType, example }) => ({
  name: `submit/${name}`,
  body: { type: defaultType, parameters: example },
}));
const questions = queries.map(({ name, example }) => ({ name: `query/${name}`, body: example }));

/** What an example can't bring along: the one thing that its refusal is about. */
const lacks: Record<string, RegExp> = {
  "submit/accept_invitation": /its `challenge` must be the `challenge` given$/,
  "submit/create_organization": /^`organizationId` must be the `rootOrganizationId` of /,
  "submit/create_smart_contract_interface": /already has the smart contract interface/,
  "submit/create_wallet": /^a wallet with the name `treasury` already exists$/,
  "submit/delete_oauth_providers": /is not an OAuth provider of the user$/,
  "submit/delete_sub_organization": /^this is not a sub-organization: /,
  "submit/delete_users": /is in the root quorum; change the quorum first/,
  "submit/delete_webhook_endpoint": /^webhook endpoint not found: `[\w-]+`$/,
  "submit/import_private_key": /^import not open: /,
  "submit/import_wallet": /^import not open: /,
  "submit/oauth": /is a top-level organization: .* it needs an issuer \(`iss`\)$/,
  "submit/oauth_login": /is a top-level organization: .* it needs an issuer \(`iss`\)$/,
  "submit/oauth2_authenticate": /Discord is not among the providers of this service/,
  "submit/otp_auth": /^OTP not found: `[\w-]+`$/,
  "submit/otp_login": /`parameters.verificationToken` is not a verification token of this service$/,
  "submit/recover_user": /its `challenge` must be the `challenge` given$/,
  "submit/reject_activity": /^the activity is no longer waiting for votes: /,
  "submit/resend_webhook_delivery": /^webhook delivery not found: `[\w-]+`$/,
  "submit/update_webhook_endpoint": /^webhook endpoint not found: `[\w-]+`$/,
  "submit/verify_otp": /^OTP not found: `[\w-]+`$/,
  "query/get_receipts": /^`afterSegment` must be the number of a segment, or "0": /,
};

const emails = new Set([
  "submit/email_auth",
  "submit/init_otp",
  "submit/init_otp_auth",
  "submit/init_user_email_recovery",
  "submit/recover_user",
]);

test.each([...submissions, ...questions])("$name accepts its example", async ({ name, body }) => {
  if (emails.has(name)) await allowEmails(world);
  const { status, reason } = await send(name, body);
  const lack = lacks[name];
  if (lack) expect(reason).toMatch(lack);
  else expect([status, reason]).toEqual([200, ""]);
});

/** The organization has every login by email, and its root user the address of the examples. */
async function allowEmails({ organization: { root, userId } }: World) {
  for (const name of [
    "FEATURE_NAME_EMAIL_AUTH",
    "FEATURE_NAME_OTP_EMAIL_AUTH",
    "FEATURE_NAME_EMAIL_RECOVERY",
    "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY",
  ] as const) {
    await root.setOrganizationFeature({ name });
  }
  await root.updateUserEmail({ userId, userEmail: "ada@example.com" });
}

async function send(path: string, example: object) {
  const { server, rootKey, organizationId } = world.organization;
  const inPlace = JSON.stringify(example, (field, value: unknown) =>
    typeof value === "string" ? (world.referenceOf(field, value) ?? value) : value,
  );
  const body = JSON.stringify({
    ...JSON.parse(inPlace),
    organizationId,
    ...(path.startsWith("submit/") && { timestampMs: String(Date.now()) }),
  });
  const signer = {
    privateKey: decodeHex(rootKey.privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256" as const,
  };
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    headers: { "X-Stamp": createApiKeyStamp(signer, encodeUtf8(body)) },
    body,
  });
  const answer = (await response.json()) as {
    message?: string;
    activity?: { status: string; failure?: { message: string } };
  };
  const failure = answer.activity?.failure?.message ?? "";
  return { status: response.status, reason: answer.message ?? failure };
}
