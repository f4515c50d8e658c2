import type { Field, Operation } from "@site/plugins/api-reference/reference.ts";

/** Every request can be refused for these. */
const OF_ALL = [
  "BAD_REQUEST_BODY",
  "FIELD_INVALID",
  "ORGANIZATION_NOT_FOUND",
  "STAMP_MISSING",
  "STAMP_INVALID",
  "CREDENTIAL_NOT_FOUND",
  "RATE_LIMITED",
];

const OF_SUBMISSIONS = ["ACTIVITY_TYPE_INVALID", "TIMESTAMP_OUT_OF_RANGE"];

/** What a field that an operation has can be refused for, by the field's name. */
const OF_FIELDS: readonly [RegExp, string][] = [
  [/^(activityId|fingerprint)$/, "ACTIVITY_NOT_FOUND"],
  [/^(activityId|fingerprint)$/, "ACTIVITY_REMOVED"],
  [/^fingerprint$/, "ACTIVITY_NOT_PENDING"],
  [/^(signWith|(?!activity|credential|organization|session|subOrganization)\w+Ids?)$/, "NOT_FOUND"],
  [/^oidcToken$/, "OIDC_TOKEN_INVALID"],
  [/^verificationToken$/, "VERIFICATION_TOKEN_INVALID"],
  [/^clientSignature$/, "CLIENT_SIGNATURE_INVALID"],
  [/^(otpCode|encryptedOtpBundle)$/, "OTP_INVALID"],
  [/^unsignedTransaction$/, "TRANSACTION_INVALID"],
  [/^encryptedBundle$/, "BUNDLE_INVALID"],
  [/^(condition|consensus|policyCondition|policyConsensus)$/, "POLICY_INVALID"],
];

/** The codes of errors that an operation answers with, from what the contract says of it. */
export function errorsOf({ kind, policy, request, versions }: Operation): string[] {
  const fields = [...request, ...versions.flatMap(({ parameters }) => parameters)];
  return [
    ...OF_ALL,
    ...(kind === "submit" ? OF_SUBMISSIONS : []),
    ...(policy ? ["POLICY_DENIED"] : []),
    ...(fields.some(isUnique) ? ["NAME_TAKEN"] : []),
    ...OF_FIELDS.filter(([name]) => fields.some((field) => name.test(lastPart(field)))).map(
      ([, code]) => code,
    ),
  ];
}

function isUnique({ name, description }: Field): boolean {
  return /Name$/.test(name) && description.includes("unique within the organization");
}

function lastPart({ name }: Field): string {
  return name.slice(name.lastIndexOf(".") + 1).replace("[]", "");
}
