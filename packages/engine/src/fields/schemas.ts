import { type AddressFormatName, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { MAX_PATH_LENGTH, parsePath } from "@keyhearth/crypto/keys/derive";
import { uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { mnemonicLanguages } from "@keyhearth/crypto/keys/mnemonic";
import * as z from "zod";
import { shorten } from "../errors.ts";
import { boundedText } from "./bounded-text.ts";
import { featureNames } from "./logins.ts";
import { missingText, unshown } from "./parse.ts";

/** Field types that activities share. The API reference shows the descriptions. */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

function uuid(noun: string, example: string) {
  return z
    .string()
    .regex(uuidPattern, `not a UUID in lower case (${noun} id)`)
    .describe(`Unique identifier of the ${noun}.`)
    .meta({ format: "uuid", examples: [example] });
}

export const OrganizationId = uuid("organization", "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11");
export const UserId = uuid("user", "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e");
export const WalletId = uuid("wallet", "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f");
export const PrivateKeyId = uuid("private key", "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70");
export const WalletAccountId = uuid("wallet account", "c173829e-d0ba-4ae4-8fb4-637081920314");
export const ApiKeyId = uuid("API key", "9e405f6b-ad87-4db1-9c81-304d5e6f7081");
export const AuthenticatorId = uuid("authenticator", "d28493af-e1cb-4bf5-90c5-748192031425");
export const UserTagId = uuid("user tag", "af51607c-be98-4ec2-8d92-415e6f708192");
export const PrivateKeyTagId = uuid("private key tag", "b062718d-cfa9-4fd3-9ea3-526f70819203");
export const OauthProviderId = uuid("OAuth provider", "e395a4b0-f2dc-4c06-81d6-859203142536");
export const PolicyId = uuid("policy", "f4a6b5c1-03ed-4d17-92e7-96a314253647");
export const InvitationId = uuid("invitation", "d2849397-f1eb-4bf5-80c5-748192a3b4c5");
export const WebhookEndpointId = uuid("webhook endpoint", "6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d");
export const WebhookDeliveryId = uuid("webhook delivery", "7e304152-9da4-4fb5-8ec6-3f4a5b6c7d8e");
export const Oauth2CredentialId = uuid(
  "OAuth 2.0 credential",
  "8f415263-aeb5-4ac6-9fd7-405162738495",
);
export const SmartContractInterfaceId = uuid(
  "smart contract interface",
  "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
);

/**
 * A text of one line, maybe empty. Characters that control the terminal, the line or the direction of
 * the text could make a text look like another one, and databases cannot store NUL.
 */
export function textLine(max: number) {
  return boundedText(max).regex(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point
    /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/,
    "must not contain control characters or characters that change the direction of text",
  );
}

/** A name, maybe empty. Every name of every request is one of these. */
export const oneLine = textLine(255);

/**
 * Free text, which may have line breaks. The other characters that a name must not have are refused
 * here too, because the people who approve a request read its notes.
 */
export function notes(max: number, description: string) {
  return boundedText(max)
    .regex(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point
      /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/,
      "must not contain control characters or characters that change the direction of text",
    )
    .describe(description);
}

/** Tokens of common issuers have about 1,000 characters. */
export const MAX_OIDC_TOKEN_LENGTH = 16_384;

/** A short human name: 1 to 255 characters, no control characters, not only white space. */
export function label(description: string) {
  return oneLine
    .min(1, "must not be empty")
    .refine((value) => value.trim() !== "", "must not be only white space")
    .describe(description);
}

const emailPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: one could end a line of a mail's header
  /^(?!.*[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069])[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@.<>"(),:;\\[\]]+$/;

export const Email = boundedText(254)
  .regex(emailPattern, "invalid email address")
  .describe("Email address.")
  .meta({ format: "email", examples: ["ada@example.com"] });

/** An empty one removes the address. */
export const EmailOrNone = boundedText(254).regex(
  new RegExp(`^$|${emailPattern.source}`),
  "invalid email address",
);

const phoneNumberPattern = /^\+[1-9]\d{6,14}$/;
const phoneNumberText = "not an E.164 phone number, such as +14155550100";

export const PhoneNumber = z
  .string()
  .regex(phoneNumberPattern, phoneNumberText)
  .describe("Phone number in E.164 form.")
  .meta({ examples: ["+14155550100"] });

/** An empty one removes the number. */
export const PhoneNumberOrNone = z
  .string()
  .regex(new RegExp(`^$|${phoneNumberPattern.source}`), phoneNumberText);

export const AccessType = z
  .enum(["ACCESS_TYPE_WEB", "ACCESS_TYPE_API", "ACCESS_TYPE_ALL"])
  .describe("How the user was meant to sign in. Kept for old clients; it has no effect.")
  .meta({ id: "AccessType" });

export const Effect = z
  .enum(["EFFECT_ALLOW", "EFFECT_DENY"], "invalid effect")
  .describe("What a policy does if it applies.")
  .meta({ id: "Effect", examples: ["EFFECT_ALLOW"] });

export const Curve = z
  .enum(["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"], "invalid curve")
  .describe("Elliptic curve of the key.")
  .meta({ id: "Curve" })
  .register(missingText, { text: "curve required" });

export const SmartContractInterfaceType = z
  .enum(
    ["SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM", "SMART_CONTRACT_INTERFACE_TYPE_SOLANA"],
    "invalid smart contract interface type",
  )
  .describe("The chain of the contract, which determines the format of its interface.")
  .meta({ id: "SmartContractInterfaceType" });

export const PathFormat = z
  .enum(["PATH_FORMAT_BIP32"], "invalid path format")
  .describe("Format of the derivation path.")
  .meta({ id: "PathFormat" });

// Keys of an object are strings to the compiler.
const addressFormats = Object.keys(addressEncodings) as [AddressFormatName];

export const AddressFormat = z
  .enum(addressFormats, {
    error: ({ input }) =>
      typeof input === "string" && input.startsWith("ADDRESS_FORMAT_SPARK_")
        ? "invalid address format: Spark addresses are not supported"
        : "invalid address format",
  })
  .describe("Format of the address that is made from the public key.")
  .meta({ id: "AddressFormat", examples: ["ADDRESS_FORMAT_ETHEREUM"] });
export type AddressFormat = z.output<typeof AddressFormat>;

export const DerivationPath = boundedText(MAX_PATH_LENGTH)
  .refine((path) => pathProblem(path) === undefined, {
    error: ({ input }) => pathProblem(String(input)),
  })
  .describe(
    "BIP-32 derivation path: one to ten indexes up to 2147483647, hardened ones with an apostrophe.",
  )
  .meta({ examples: ["m/44'/60'/0'/0/0"] });

function pathProblem(path: string): string | undefined {
  try {
    parsePath(path);
    return undefined;
  } catch {
    const indexes = /^m(\/\d+'?)+$/.test(path) ? path.split("/").slice(1) : [];
    const large = indexes.find((index) => Number.parseInt(index, 10) >= 2 ** 31);
    if (large !== undefined) {
      return `invalid path: the index ${shorten(large)} must be at most 2147483647; the apostrophe of a hardened one comes after it`;
    }
    if (indexes.length > 10) {
      return `invalid path: must have at most 10 indexes, got ${indexes.length}`;
    }
    return "invalid path: expected a BIP-32 path such as m/44'/60'/0'/0/0";
  }
}

/** The ids of what a request is about: at least one. A repeated id counts once. */
export function ids<T extends z.ZodType>(element: T, noun: string, description: string) {
  const empty = `must name at least one ${noun}`;
  return list(element, `${description} A repeated id counts once.`, { empty });
}

/**
 * A list that the contract requires. If it is left out, it reads as empty: clients of other languages
 * do not send empty lists. `empty` is the text that refuses an empty one. Every list of a request is
 * one of these, unless the contract says that it is optional (decision 20).
 */
export function list<T extends z.ZodType>(
  element: T,
  description: string,
  {
    empty,
    max = 100,
    entries = "entries",
  }: { empty?: string; max?: number; entries?: string } = {},
) {
  const elements = z.array(element).max(max, `must have at most ${max} ${entries}`);
  return (empty === undefined ? elements : elements.min(1, empty))
    .prefault([])
    .describe(description);
}

/** A list that may be left out, which means something else than an empty one. */
export function optionalList<T extends z.ZodType>(element: T, description: string) {
  return z
    .array(element)
    .max(100, "must have at most 100 entries")
    .describe(description)
    .optional();
}

export const WalletAccountParams = z
  .strictObject({
    curve: Curve,
    pathFormat: PathFormat,
    path: DerivationPath,
    addressFormat: AddressFormat,
    name: label("Name of the account, unique within the organization.").optional(),
  })
  .describe("An account to derive: its curve, its path and the format of its address.")
  .meta({
    id: "WalletAccountParams",
    examples: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
export type WalletAccountParams = z.output<typeof WalletAccountParams>;

export const DeleteWithoutExport = z
  .boolean()
  .describe(
    "Whether to delete even keys that were never exported, so that no copy is left. The default is false.",
  )
  .optional();

export const MnemonicLength = z
  .int("must be 12, 15, 18, 21 or 24")
  .refine((words) => [12, 15, 18, 21, 24].includes(words), "must be 12, 15, 18, 21 or 24")
  .describe("Number of words in the wallet's mnemonic: 12, 15, 18, 21 or 24. The default is 12.")
  .meta({ format: "int32", enum: [12, 15, 18, 21, 24], default: 12 });

// A literal of each language with the prefix.
const languages = mnemonicLanguages.map((name) => `MNEMONIC_LANGUAGE_${name}` as const);

export const MnemonicLanguage = z
  .enum(languages, "invalid mnemonic language")
  .describe(
    "Language of the words. By default, that of the wallet. In any other language the words encode the same entropy, but they restore other keys.",
  )
  .meta({ id: "MnemonicLanguage" });

/** A private key could be sent here by mistake, so no message shows the value. */
export const TargetPublicKey = z
  .string()
  .regex(
    /^(04[0-9a-fA-F]{128}|0[23][0-9a-fA-F]{64})$/,
    "expected a P-256 public key in hex: 130 characters uncompressed, or 66 compressed, without 0x",
  )
  .refine(isPointOfP256, "expected a P-256 public key, but this is not a point on the curve")
  .describe(
    "Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed, or 66 compressed.",
  )
  .meta({
    examples: [
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    ],
  })
  .register(unshown, {});

export function isPointOfP256(value: string): boolean {
  // Other texts have their own error, from the pattern.
  if (!/^0[234]([0-9a-fA-F]{2})+$/.test(value)) return true;
  try {
    uncompressedPublicKey("CURVE_P256", decodeHex(value));
    return true;
  } catch {
    return false;
  }
}

export const OwnUserId = UserId.describe("Your own user id: nobody can import for another user.");

export const ImportBundle = z
  .string()
  .describe(
    "The key to which you encrypt the import, signed by the signer, as JSON text that client libraries read.",
  );

/** Clients could send the secret itself by mistake, so no message shows the value. */
export const EncryptedBundle = boundedText(8192)
  .describe(
    "What your client encrypted to the key of your import bundle, as JSON text with `encappedPublic` and `ciphertext`.",
  )
  .meta({ examples: ['{"encappedPublic":"04…","ciphertext":"…"}'] })
  .register(unshown, {});

export const CredentialBundle = z
  .string()
  .describe("The private key of the session, encrypted to your key, in base58 with a checksum.");

export const ExportBundle = z
  .string()
  .describe(
    "The secret, encrypted to your key and signed by the signer, as JSON text that client libraries decrypt.",
  );

export const WalletParams = z
  .strictObject({
    walletName: label("Name of the wallet, unique within the organization."),
    accounts: list(WalletAccountParams, "Accounts to derive."),
    mnemonicLength: MnemonicLength.optional(),
  })
  .describe("The wallet to create.")
  .meta({ id: "WalletParams" })
  .register(missingText, { text: "missing wallet params" });

export const PrivateKeyParams = z
  .strictObject({
    privateKeyName: label("Name of the private key, unique within the organization."),
    curve: Curve,
    privateKeyTags: list(PrivateKeyTagId, "Ids of the tags to add to the private key."),
    addressFormats: list(AddressFormat, "Formats in which to create the address of the key."),
  })
  .describe("A private key to create.")
  .meta({ id: "PrivateKeyParams" });
export type PrivateKeyParams = z.output<typeof PrivateKeyParams>;

export const Address = z
  .strictObject({
    format: AddressFormat.optional(),
    address: z
      .string()
      .describe("The address.")
      .meta({ examples: ["0x9858EfFD232B4033E47d90003D41EC34EcaEda94"] })
      .optional(),
  })
  .describe("An address and its format.")
  .meta({ id: "Address" });

export const PrivateKeyResult = z
  .strictObject({
    privateKeyId: PrivateKeyId.optional(),
    addresses: z.array(Address).describe("The addresses in the requested formats.").optional(),
  })
  .describe("A private key that was created.")
  .meta({ id: "PrivateKeyResult" });

export const Addresses = z
  .array(z.string())
  .describe("The addresses, in the order of the accounts in the request.")
  .meta({ examples: [["0x9858EfFD232B4033E47d90003D41EC34EcaEda94"]] });

export const WalletResult = z
  .strictObject({
    walletId: WalletId,
    addresses: Addresses,
  })
  .describe("The wallet that was created.")
  .meta({ id: "WalletResult" });

export const Fingerprint = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "expected `sha256:` and 64 lower-case hex characters")
  .describe("Fingerprint of the activity: `sha256:` and the SHA-256 of its request body in hex.")
  .meta({
    examples: ["sha256:143e777f907453d71c5a3213059d641f54b28737276c4bc6b405ef06831876cb"],
  });

/** A field that this version of the service does not support yet. If present, it is refused. */
export function unsupported<T extends z.ZodType>(schema: T, noun: string) {
  return schema
    .optional()
    .refine((value) => value === undefined, {
      error: `${noun} is not supported by this version of the service; leave it out`,
      params: { reason: "FIELD_UNSUPPORTED" },
    })
    .describe(`Must be absent: ${noun} is not supported by this version of the service.`);
}

export const FeatureName = z
  .enum(featureNames, "invalid feature name")
  .describe("Name of a feature.")
  .meta({ id: "FeatureName", examples: ["FEATURE_NAME_EMAIL_AUTH"] });
export type FeatureName = z.output<typeof FeatureName>;

export const Feature = z
  .strictObject({
    name: FeatureName.optional(),
    value: z
      .string()
      .describe("Value of the feature, if it has one.")
      .meta({ examples: ["https://app.example.com"] })
      .optional(),
  })
  .describe("A feature that is switched on in the organization.")
  .meta({ id: "Feature" });

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

export const ClientSignature = z
  .strictObject({
    publicKey: z
      .string()
      .regex(/^0[23][0-9a-fA-F]{64}$/, "expected a compressed P-256 public key in hex")
      .describe("Public key of the signer, hex."),
    scheme: z
      .enum(["CLIENT_SIGNATURE_SCHEME_API_P256"])
      .describe("Signature scheme.")
      .meta({ id: "ClientSignatureScheme" }),
    message: boundedText(65_536)
      .refine(isJson, "expected JSON: the message that was signed")
      .describe("The message that was signed: JSON that says what the request asks for.")
      .meta({
        examples: [
          '{"login":{"publicKey":"03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17"},"tokenId":"01980000-0000-7000-8000-000000000000","type":"USAGE_TYPE_LOGIN"}',
        ],
      }),
    signature: z
      .string()
      .regex(/^[0-9a-fA-F]{128}$/, "expected 128 hex characters: r and s")
      .describe("Signature over the SHA-256 of the message: r and s, in hex.")
      .meta({ examples: ["00".repeat(64)] }),
  })
  .describe("Proof of possession of the key that a verification token names.")
  .meta({ id: "ClientSignature" });
export type ClientSignature = z.output<typeof ClientSignature>;

/** It is as good as the contact that it proves until it expires, so no message shows the value. */
export const VerificationToken = boundedText(4096)
  .describe("A token from verify_otp, which proves that the contact is the user's.")
  .meta({ examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl"] })
  .register(unshown, {});
