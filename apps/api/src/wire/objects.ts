import { activities } from "@keyhearth/engine/activities/index";
import { AuthenticatorTransport } from "@keyhearth/engine/fields/credentials";
import { credentialTypeNames } from "@keyhearth/engine/fields/logins";
import {
  EncryptedClientSecret,
  Oauth2ClientId,
  Oauth2ProviderName,
} from "@keyhearth/engine/fields/oauth2";
import {
  AccessType,
  AddressFormat,
  ApiKeyId,
  Curve,
  DerivationPath,
  Effect,
  Feature,
  Fingerprint,
  InvitationId,
  isUuid,
  Oauth2CredentialId,
  OauthProviderId,
  OrganizationId,
  PathFormat,
  PolicyId,
  PrivateKeyId,
  PrivateKeyTagId,
  SmartContractInterfaceId,
  SmartContractInterfaceType,
  UserId,
  UserTagId,
  WalletAccountId,
  WalletId,
} from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { wireActivityTypes } from "../generated/activity-types.ts";

/**
 * The objects that answers contain. Each `id` is the object's name in the contract, and the
 * descriptions are the text of the API reference.
 */

function text(description: string) {
  return z.string().describe(description);
}

function uuid(noun: string, example: string) {
  return z
    .string()
    .refine(isUuid, `not a UUID in lower case (${noun} id)`)
    .describe(`Unique identifier of the ${noun}.`)
    .meta({ format: "uuid", examples: [example] });
}

export const ActivityId = uuid("activity", "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00");

export const Timestamp = z
  .object({
    seconds: text("Seconds since 1970-01-01 UTC, a decimal string.").meta({
      examples: ["1767225600"],
    }),
    nanos: text("Nanoseconds within the second, a decimal string.").meta({ examples: ["0"] }),
  })
  .describe("A point in time.")
  .meta({ id: "Timestamp" });

const createdAt = Timestamp.describe("When it was created.");
const updatedAt = Timestamp.describe("When it was last changed.");
const times = { createdAt, updatedAt };

export const CredentialType = z
  .enum(credentialTypeNames)
  .describe("Kind of the credential, and how it was created.")
  .meta({ id: "CredentialType", examples: ["CREDENTIAL_TYPE_API_KEY_P256"] });

export const Credential = z
  .object({
    publicKey: text("Public key: hex, compressed for ECDSA curves.").meta({
      examples: ["02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"],
    }),
    type: CredentialType,
  })
  .describe("A public key that requests are stamped with.")
  .meta({ id: "Credential" });

export const ApiKey = z
  .object({
    credential: Credential,
    apiKeyId: ApiKeyId,
    apiKeyName: text("Name of the API key.").meta({ examples: ["laptop"] }),
    ...times,
    expirationSeconds: text(
      "Lifetime in seconds from `createdAt`, a decimal string. Absent for a long-lived key.",
    )
      .meta({ format: "uint64", examples: ["900"] })
      .optional(),
  })
  .describe("An API key of a user. Expired keys are not shown.")
  .meta({ id: "ApiKey" });

export const Authenticator = z
  .object({
    transports: z
      .array(AuthenticatorTransport)
      .describe("Ways in which the authenticator can be reached."),
    attestationType: text("Attestation format of the registration, such as `none`.").meta({
      examples: ["none"],
    }),
    aaguid: text("Identifier of the authenticator's model, base64url.").meta({
      examples: ["AAAAAAAAAAAAAAAAAAAAAA"],
    }),
    credentialId: text("Credential id, base64url.").meta({ examples: ["lHkqrhSsFQeq7FQPSPcbUQ"] }),
    model: text("Display text for the authenticator's model.").meta({
      examples: ["Phone or tablet"],
    }),
    credential: Credential,
    authenticatorId: uuid("authenticator", "d28493af-e1cb-4bf5-90c5-748192031425"),
    authenticatorName: text("Name of the authenticator.").meta({ examples: ["phone"] }),
    ...times,
    lastUsedAt: Timestamp.describe(
      "When it last stamped a submission, to the minute. Only queries about authenticators show it.",
    ).optional(),
  })
  .describe("A passkey of a user.")
  .meta({ id: "Authenticator" });

export const OauthProvider = z
  .object({
    providerId: OauthProviderId,
    providerName: text("Name of the provider.").meta({ examples: ["Google"] }),
    issuer: text("Issuer of the identity (`iss`).").meta({
      examples: ["https://accounts.google.com"],
    }),
    audience: text("Audience of the identity (`aud`).").meta({ examples: ["my-app.example.com"] }),
    subject: text("Subject of the identity (`sub`).").meta({ examples: ["110169484474386276334"] }),
    ...times,
  })
  .describe("A social login of a user.")
  .meta({ id: "OauthProvider" });

const AuthenticationType = z
  .enum([
    "AUTHENTICATION_TYPE_EMAIL_OTP",
    "AUTHENTICATION_TYPE_SMS_OTP",
    "AUTHENTICATION_TYPE_PASSKEY",
    "AUTHENTICATION_TYPE_API_KEY",
    "AUTHENTICATION_TYPE_OAUTH",
    "AUTHENTICATION_TYPE_SESSION",
  ])
  .describe("A way to authenticate.")
  .meta({ id: "AuthenticationType" });

const AuthenticationMethod = z
  .object({
    type: AuthenticationType,
    id: text("Id of one credential. If absent, any credential of the type.").optional(),
  })
  .describe("A credential, or any credential of a type.")
  .meta({ id: "AuthenticationMethod" });

const RequiredAuthenticationMethod = z
  .object({
    any: z.array(AuthenticationMethod).describe("Any one of these satisfies the requirement."),
  })
  .describe("A requirement that any one of several methods satisfies.")
  .meta({ id: "RequiredAuthenticationMethod" });

const MfaPolicy = z
  .object({
    mfaPolicyId: text("Unique identifier of the policy."),
    mfaPolicyName: text("Name of the policy."),
    condition: text("When the policy applies."),
    requiredAuthenticationMethods: z
      .array(RequiredAuthenticationMethod)
      .describe("Requirements, all of which must be satisfied."),
    order: z.int().describe("Position among the user's policies.").meta({ format: "int64" }),
    notes: text("Notes about the policy.").optional(),
    ...times,
  })
  .describe("A rule that requires further authentication from a user.")
  .meta({ id: "MfaPolicy" });

export const User = z
  .object({
    userId: UserId,
    userName: text("Name of the user.").meta({ examples: ["Ada"] }),
    userEmail: text("Email address of the user, if there is one.")
      .meta({ examples: ["ada@example.com"] })
      .optional(),
    userPhoneNumber: text("Phone number of the user in E.164 form, if there is one.")
      .meta({ examples: ["+14155550100"] })
      .optional(),
    authenticators: z
      .array(Authenticator)
      .describe("Passkeys of the user.")
      .meta({ examples: [[]] }),
    apiKeys: z.array(ApiKey).describe("API keys of the user that have not expired."),
    userTags: z.array(UserTagId).describe("Ids of the user's tags."),
    oauthProviders: z
      .array(OauthProvider)
      .describe("Social logins of the user.")
      .meta({ examples: [[]] }),
    ...times,
    mfaPolicies: z
      .array(MfaPolicy)
      .describe("Rules for further authentication. Always empty in this version of the service.")
      .meta({ examples: [[]] }),
  })
  .describe("A person or program that can act in the organization.")
  .meta({ id: "User" });

// Two points on P-256, for the example.
const ENCRYPTION_POINT =
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
const SIGNING_POINT =
  "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc4766997807775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1";

const proofScheme = z
  .enum(["SIGNATURE_SCHEME_EPHEMERAL_KEY_P256"])
  .describe("Scheme of a statement's signature: ECDSA over P-256 with SHA-256.")
  .meta({ id: "SignatureScheme" });

export const AppProof = z
  .object({
    scheme: proofScheme,
    publicKey: text(
      "Quorum key of the signer: its encryption point followed by its signing point, 130 bytes as hex.",
    ).meta({ examples: [`${ENCRYPTION_POINT}${SIGNING_POINT}`] }),
    proofPayload: text(
      "The statement as canonical JSON: `type`, `timestampMs` and the facts stated. The signature is over this text.",
    ).meta({
      examples: [
        '{"addressDerivationProof":{"address":"0x9858EfFD232B4033E47d90003D41EC34EcaEda94","derivationPath":"m/44\'/60\'/0\'/0/0","organizationId":"5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11","walletId":"7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f"},"timestampMs":"1767225600000","type":"APP_PROOF_TYPE_ADDRESS_DERIVATION"}',
      ],
    }),
    signature: text("Signature over `proofPayload`: r followed by s, 64 bytes as hex.").meta({
      examples: [
        "2f6f7a1c0d3b5e8894c6d1a7f0e3b2c5d4f6a8b9c0d1e2f3a4b5c6d7e8f901121a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809",
      ],
    }),
  })
  .describe("A statement signed by the signer. Anyone can verify it without the service.")
  .meta({ id: "AppProof" });

const address = text("The address, in the form that its chain uses.").meta({
  examples: ["0x9858EfFD232B4033E47d90003D41EC34EcaEda94"],
});
const publicKey = text("Public key: hex, compressed for ECDSA curves.").meta({
  examples: ["0237b0bb7a8288d38ed49a524b5dc98cff3eb5ca824c9f9dc0dfdb3d9cd600f299"],
});
const exported = z
  .boolean()
  .describe("Whether it was ever exported.")
  .meta({ examples: [false] });
const imported = z
  .boolean()
  .describe("Whether it was imported.")
  .meta({ examples: [false] });

export const Wallet = z
  .object({
    walletId: WalletId,
    walletName: text("Name of the wallet.").meta({ examples: ["treasury"] }),
    ...times,
    exported,
    imported,
  })
  .describe("A wallet: one seed, from which accounts are derived.")
  .meta({ id: "Wallet" });

export const WalletAccount = z
  .object({
    walletAccountId: WalletAccountId,
    organizationId: OrganizationId,
    walletId: WalletId,
    curve: Curve,
    pathFormat: PathFormat,
    path: DerivationPath,
    addressFormat: AddressFormat,
    address,
    ...times,
    publicKey: publicKey.optional(),
    walletDetails: Wallet.describe(
      "The wallet, if the request set `includeWalletDetails`.",
    ).optional(),
    name: text("Name of the account, if it has one.")
      .meta({ examples: ["payouts"] })
      .optional(),
    caip2Prefix: text(
      "CAIP-2 namespace of the chains that know the address. Absent if the address is a public key in hex.",
    )
      .meta({ examples: ["eip155"] })
      .optional(),
    proof: AppProof.describe(
      "Signed statement that this signer derived the address from the wallet at this path. The signer signed it when the account was derived.",
    ),
  })
  .describe("An account: a key pair derived from a wallet's seed at a path.")
  .meta({ id: "WalletAccount" });

export const PrivateKeyAddress = z
  .object({
    format: AddressFormat,
    address,
    proof: AppProof.describe(
      "Signed statement that the address belongs to the key. The signer signed it when the key was created. Absent only in lists that would be too long with it.",
    ).optional(),
  })
  .describe("An address of a private key, with its format and proof.")
  .meta({ id: "PrivateKeyAddress" });

export const PrivateKey = z
  .object({
    privateKeyId: PrivateKeyId,
    publicKey,
    privateKeyName: text("Name of the private key.").meta({ examples: ["hot key"] }),
    curve: Curve,
    addresses: z
      .array(PrivateKeyAddress)
      .describe("Addresses in the formats requested when the key was created."),
    privateKeyTags: z.array(PrivateKeyTagId).describe("Ids of the private key's tags."),
    ...times,
    exported,
    imported,
  })
  .describe(
    "A private key that does not belong to a wallet. The key itself never leaves the signer.",
  )
  .meta({ id: "PrivateKey" });

export const Tag = z
  .object({
    tagId: text("Id of the tag.").meta({
      format: "uuid",
      examples: ["b062718d-cfa9-4fd3-9ea3-526f70819203"],
    }),
    tagName: text("Name of the tag.").meta({ examples: ["hot"] }),
    tagType: z
      .enum(["TAG_TYPE_USER", "TAG_TYPE_PRIVATE_KEY"])
      .describe("Whether the tag is for users or for private keys.")
      .meta({ id: "TagType", examples: ["TAG_TYPE_PRIVATE_KEY"] }),
    ...times,
  })
  .describe("A tag, which groups users or private keys.")
  .meta({ id: "Tag" });

export const Policy = z
  .object({
    policyId: PolicyId,
    policyName: text("Name of the policy.").meta({ examples: ["Ada signs with the treasury"] }),
    effect: Effect,
    ...times,
    notes: text("Notes about the policy; empty if there are none.").meta({ examples: [""] }),
    consensus: text("Who must agree. If empty, no further approval is needed.").meta({
      examples: ["approvers.any(user, user.id == 'user id')"],
    }),
    condition: text("Which requests the policy applies to. If empty, all of them.").meta({
      examples: ["activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'wallet id'"],
    }),
    time: text("When the policy applies. If absent, always.")
      .meta({ examples: ["CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')"] })
      .optional(),
  })
  .describe(
    "A rule that allows or denies the requests that its condition, consensus and time all match.",
  )
  .meta({ id: "Policy" });

export const SmartContractInterface = z
  .object({
    organizationId: OrganizationId,
    smartContractInterfaceId: SmartContractInterfaceId,
    smartContractAddress: text("Address of the contract, exactly as submitted.").meta({
      examples: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
    }),
    smartContractInterface: text(
      "The interface as JSON text, exactly as submitted: an Ethereum ABI or an Anchor IDL.",
    ).meta({
      examples: [
        '[{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[{"name":"","type":"bool"}]}]',
      ],
    }),
    type: z.enum(SmartContractInterfaceType.options).describe("Which chain the contract is on."),
    label: text("Name of the interface.").meta({ examples: ["USD Coin"] }),
    notes: text("Notes about the interface; empty if there are none.").meta({ examples: [""] }),
    ...times,
  })
  .describe(
    "The interface of a smart contract. Policies use it to read the arguments of calls to the contract.",
  )
  .meta({ id: "SmartContractInterface" });

export const Quorum = z
  .object({
    threshold: z
      .int()
      .describe("How many of the users must agree.")
      .meta({ format: "int32", examples: [1] }),
    userIds: z.array(UserId).describe("Ids of the root users."),
  })
  .describe("The root quorum: users who together may do everything.")
  .meta({ id: "Quorum" });

export const Config = z
  .object({
    features: z.array(Feature).describe("Features that are switched on.").optional(),
    quorum: Quorum.optional(),
  })
  .describe("Settings of an organization.")
  .meta({ id: "Config" });

export const Invitation = z
  .object({
    invitationId: InvitationId,
    receiverUserName: text("Name that the invited person gets as a user.").meta({
      examples: ["Grace"],
    }),
    receiverEmail: text("Email address of the invited person.").meta({
      examples: ["grace@example.com"],
    }),
    receiverUserTags: z.array(UserTagId).describe("Ids of the tags that the user gets."),
    accessType: AccessType,
    status: z
      .enum([
        "INVITATION_STATUS_CREATED",
        "INVITATION_STATUS_ACCEPTED",
        "INVITATION_STATUS_REVOKED",
      ])
      .describe("Status of the invitation. Those that ended are no longer listed.")
      .meta({ id: "InvitationStatus" }),
    ...times,
    senderUserId: UserId.describe("The user who sent the invitation."),
  })
  .describe("An invitation to become a user.")
  .meta({ id: "Invitation" });

export const Oauth2Credential = z
  .object({
    oauth2CredentialId: Oauth2CredentialId,
    organizationId: OrganizationId,
    provider: Oauth2ProviderName,
    clientId: Oauth2ClientId,
    encryptedClientSecret: EncryptedClientSecret.describe(
      "The secret, as it was encrypted to the service’s quorum public key.",
    ),
    ...times,
  })
  .describe("A client of a provider that only speaks OAuth 2.0. Its secret stays encrypted.")
  .meta({ id: "Oauth2Credential" });

export const SmartContractInterfaceReference = z
  .object({
    smartContractInterfaceId: SmartContractInterfaceId.optional(),
    smartContractAddress: text("Address of the contract.")
      .meta({ examples: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"] })
      .optional(),
    digest: text("SHA-256 of the text of the interface, in hex.")
      .meta({ examples: ["4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"] })
      .optional(),
  })
  .describe("A contract interface, without its text.")
  .meta({ id: "SmartContractInterfaceReference" });

export const OrganizationData = z
  .object({
    organizationId: OrganizationId.optional(),
    name: text("Name of the organization.")
      .meta({ examples: ["Acme"] })
      .optional(),
    users: z.array(User).describe("All users.").optional(),
    policies: z.array(Policy).describe("All policies.").optional(),
    privateKeys: z.array(PrivateKey).describe("All private keys.").optional(),
    invitations: z.array(Invitation).describe("Invitations that can be accepted.").optional(),
    tags: z.array(Tag).describe("All tags, of users and of private keys.").optional(),
    rootQuorum: Quorum.optional(),
    features: z.array(Feature).describe("Features that are switched on.").optional(),
    wallets: z.array(Wallet).describe("All wallets.").optional(),
    smartContractInterfaceReferences: z
      .array(SmartContractInterfaceReference)
      .describe("All contract interfaces.")
      .optional(),
  })
  .describe("An organization as a whole.")
  .meta({ id: "OrganizationData" });

export const ActivityStatus = z
  .enum(
    [
      "ACTIVITY_STATUS_CREATED",
      "ACTIVITY_STATUS_PENDING",
      "ACTIVITY_STATUS_COMPLETED",
      "ACTIVITY_STATUS_FAILED",
      "ACTIVITY_STATUS_CONSENSUS_NEEDED",
      "ACTIVITY_STATUS_REJECTED",
    ],
    "invalid activity status",
  )
  .describe("Status of an activity.")
  .meta({ id: "ActivityStatus", examples: ["ACTIVITY_STATUS_COMPLETED"] });

const declaredTypes = activities.flatMap(({ versions }) => Object.keys(versions));
const activityTypes = [...new Set([...declaredTypes, ...wireActivityTypes])].sort();

export const ActivityType = z
  .enum(activityTypes, "invalid activity type")
  .describe("Type of an activity: what it does, and in which version of the contract.")
  .meta({ id: "ActivityType", examples: ["ACTIVITY_TYPE_CREATE_WALLET"] });

export const Vote = z
  .object({
    id: uuid("vote", "019a9a51-7c40-7b52-9d10-6c7d8e9f0011"),
    userId: UserId,
    user: User.describe("The voter, as of the time of the vote."),
    activityId: ActivityId,
    selection: z
      .enum(["VOTE_SELECTION_APPROVED", "VOTE_SELECTION_REJECTED"])
      .describe("Whether the user approved or rejected."),
    message: text("The exact body of the request that was stamped."),
    publicKey: text("Public key of the stamp."),
    signature: text("Signature of the stamp over `message`, hex."),
    scheme: text("Scheme of the stamp.").meta({ examples: ["SIGNATURE_SCHEME_TK_API_P256"] }),
    createdAt: Timestamp.describe("When the user voted."),
  })
  .describe("A user's stamped decision about an activity.")
  .meta({ id: "Vote" });

export const Any = z
  .looseObject({ "@type": text("Kind of the entry.").optional() })
  .describe("An entry in an error's details. Its `@type` says what it holds.")
  .meta({ id: "Any" });

export const Status = z
  .object({
    code: z
      .int()
      .describe("The error's code as a number.")
      .meta({ format: "int32", examples: [3] })
      .optional(),
    message: text("What went wrong.").optional(),
    details: z.array(Any).describe("Facts about the error for programs.").optional(),
  })
  .describe("Why an activity failed.")
  .meta({ id: "Status" });

/** Name of a schema of parameters or of a result: its key with a capital letter. */
export function schemaName(key: string): string {
  return `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
}

const versions = activities.flatMap(({ summary, versions }) =>
  Object.entries(versions).map(([type, version]) => ({ type, summary, ...version })),
);

/** The parameters of every version under the names of the contract. */
export const intents = new Map(
  versions.map(({ type, intentKey, intent }) => [
    intentKey,
    named(intent, schemaName(intentKey), `Parameters of \`${type}\`.`),
  ]),
);

/** The same as answers show them. */
const shownIntents = new Map(
  versions.map(({ type, intentKey, intent, shown }) => {
    const name = schemaName(intentKey);
    return [
      intentKey,
      shown
        ? named(shown.schema, `Shown${name}`, `Parameters of \`${type}\` as answers show them.`)
        : (intents.get(intentKey) ?? intent),
    ];
  }),
);

/** The results of every version under the names of the contract; several versions may share one. */
export const results = new Map(
  versions
    .filter(({ resultKey }) => resultKey !== "*")
    .map(({ summary, resultKey, result }) => [
      resultKey,
      named(result, schemaName(resultKey), `Result of “${summary}”.`),
    ]),
);

/** A schema that already has the name is returned as it is: one name must not mean two schemas. */
export function named(schema: z.ZodObject, id: string, description: string): z.ZodObject {
  return schema.meta()?.id === id ? schema : schema.meta({ id, description });
}

function oneKeyOf(schemas: Map<string, z.ZodObject>) {
  return z.object(
    Object.fromEntries([...schemas].map(([key, schema]) => [key, schema.optional()])),
  );
}

const Intent = oneKeyOf(shownIntents)
  .describe("What the request asked for, under the one key that belongs to the activity's type.")
  .meta({ id: "Intent" });

const Result = oneKeyOf(results)
  .describe(
    "The outcome, under the one key that belongs to the activity's type. Empty until the activity has completed.",
  )
  .meta({ id: "Result" });

export const PolicyWarning = z
  .object({
    code: text("Kind of the hazard.").meta({ examples: ["sign-unscoped"] }),
    message: text("Which part of the policy may not do what it seems to do, and how to fix it."),
    policyId: text(
      "Unique identifier of the policy. Empty until the activity that creates the policy has completed, because the policy has no id before that.",
    ).meta({ examples: ["f4a6b5c1-03ed-4d17-92e7-96a314253647"] }),
    clause: z
      .enum(["condition", "consensus", "time"])
      .describe("The clause of the policy that the warning is about."),
    start: z
      .int()
      .describe("Where the hazard begins in the clause, in UTF-16 code units from 0.")
      .meta({ format: "int32" }),
    end: z
      .int()
      .describe("Where it ends: the position of the first code unit after it.")
      .meta({ format: "int32" }),
  })
  .describe("A hazard in a policy that was created or changed.")
  .meta({ id: "PolicyWarning" });

export const Activity = z
  .object({
    id: ActivityId,
    organizationId: OrganizationId,
    status: ActivityStatus,
    type: ActivityType,
    intent: Intent,
    result: Result,
    votes: z
      .array(Vote)
      .describe("Votes in the order they were given. The first one started the activity."),
    appProofs: z
      .array(AppProof)
      .describe("Signed statements about the outcome, if the request set `generateAppProofs`.")
      .optional(),
    fingerprint: Fingerprint,
    canApprove: z.boolean().describe("Whether an approval by the requesting user would count now."),
    canReject: z.boolean().describe("Whether the requesting user could reject the activity now."),
    ...times,
    failure: Status.nullable()
      .describe(
        "Why the activity failed; null if it did not fail. While it waits for votes: why none can decide it any more, such as when the user who started it was deleted.",
      )
      .optional(),
    warnings: z
      .array(PolicyWarning)
      .describe(
        "For a change of policies: what to look at before approving it, at most 50 entries. Absent if there is nothing. The API computes the warnings for each answer; in a long list, for the first activities only. They do not affect any decision.",
      )
      .optional(),
    addressProofs: z
      .array(AppProof)
      .describe(
        "Signed statements about the addresses in `result`, if the query set `includeAddressProofs`. A key that was deleted has none.",
      )
      .optional(),
  })
  .describe("A request to change something or to use a key, and its outcome.")
  .meta({ id: "Activity" });

export const ActivityResponse = z
  .object({ activity: Activity })
  .describe("The activity in its current state.")
  .meta({ id: "ActivityResponse" });

export const IncludeAddressProofs = z
  .boolean()
  .describe(
    "Whether to add `addressProofs` to activities whose results show addresses: at most 1,000 addresses in an answer.",
  )
  .optional();

export const Pagination = z
  .object({
    limit: text(
      "Maximum number of objects to return, `1` to `100`, as a decimal string. Default `10`.",
    )
      .meta({ examples: ["10"] })
      .optional(),
    before: text("Id of an object. The page holds objects created before it.").optional(),
    after: text("Id of an object. The page holds objects created after it.").optional(),
  })
  .describe("Which part of a long list to return.")
  .meta({ id: "Pagination" });

export type ShownActivity = z.output<typeof Activity>;
export type ShownUser = z.output<typeof User>;
