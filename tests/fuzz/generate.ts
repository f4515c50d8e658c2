import { readFileSync } from "node:fs";
import { newKey, type TestKey } from "@keyhearth/api/testing";
import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { entropyToMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { encryptToBundle } from "@keyhearth/crypto/sealing/open-bundle";
import type { Random } from "./random.ts";
import { type Tenant, valueFor } from "./state.ts";
import { transactionOf } from "./transactions.ts";

// Requests that the contract allows, for all operations and all versions, with values that the
// organization has.

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  examples?: unknown[];
};

export type Operation = { kind: "submit" | "query"; name: string; schema: Schema };

/** A request before it is turned into bytes. `made` are the keys whose public keys are in it. */
export type Draft = { operation: Operation; json: Record<string, unknown>; made: TestKey[] };

type Contract = {
  paths: Record<
    string,
    {
      post: {
        requestBody: { content: { "application/json": { schema: Schema; example: unknown } } };
      };
    }
  >;
  components: { schemas: Record<string, Schema> };
};

const contract: Contract = JSON.parse(
  readFileSync(new URL("../../contract/openapi.json", import.meta.url), "utf8"),
);

/** What clients stamp. */
const paths = Object.entries(contract.paths).filter(([path]) => path.startsWith("/public/v1/"));

export const operations: readonly Operation[] = paths.map(([path, { post }]) => {
  const [, kind = "", name = ""] = /^\/public\/v1\/(submit|query)\/(\w+)$/.exec(path) ?? [];
  const { schema } = post.requestBody.content["application/json"];
  // The pattern allows only these two.
  return { kind: kind as Operation["kind"], name, schema };
});

/** Texts from the examples of the contract, by the name of their field. */
const examples = new Map<string, string[]>();
for (const [, { post }] of paths) {
  collect(post.requestBody.content["application/json"].example, "");
}

function collect(value: unknown, name: string) {
  if (Array.isArray(value)) for (const each of value) collect(each, name);
  else if (value !== null && typeof value === "object") {
    for (const [member, inner] of Object.entries(value)) collect(inner, member);
  } else if (typeof value === "string") {
    examples.set(name, [...(examples.get(name) ?? []), value]);
  }
}

const clauses = {
  condition: [
    "true",
    "activity.action == 'SIGN'",
    "activity.resource == 'WALLET' && activity.action in ['CREATE', 'SIGN']",
    "eth.tx.value < 1000 || eth.tx.to == '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'",
    "wallet.label == 'canary' || wallet_account.address != ''",
    "activity.params.payload == 'hello'",
    "solana.tx.instructions.count() > 2",
    // Takes long: each policy of a request with each other.
    "activity.params.policies.all(a, activity.params.policies.any(b, a.notes == b.notes))",
  ],
  consensus: [
    "true",
    "approvers.count() >= 2",
    "approvers.any(user, user.id != '')",
    "approvers.filter(user, 'ops' in user.tags).count() >= 1",
  ],
};

/** A request of an operation, as the contract describes it. */
export function generate(random: Random, tenant: Tenant, operation: Operation): Draft {
  const made: TestKey[] = [];
  const { properties = {} } = resolve(operation.schema);
  const type = properties.type ? random.pick(properties.type.enum ?? [""]) : undefined;
  const json = create({ random, tenant, made, type }, operation.schema, "");
  const body = { ...(json as Record<string, unknown>), organizationId: tenant.organizationId };
  if (operation.kind === "submit") Object.assign(body, { type, timestampMs: String(Date.now()) });
  if (operation.name === "simulate_activity") {
    const submissions = operations.filter(({ kind }) => kind === "submit");
    const { json: simulated } = generate(random, tenant, random.pick(submissions));
    Object.assign(body, {
      activity: { type: simulated.type, parameters: simulated.parameters },
      approverUserIds: [],
    });
  }
  return { operation, json: body, made };
}

/** All types that a submission accepts. A query has none. */
export function typesOf({ schema }: Operation): string[] {
  const { type } = resolve(schema).properties ?? {};
  return (type?.enum ?? [""]).map(String);
}

type Making = { random: Random; tenant: Tenant; made: TestKey[]; type: unknown };

function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  return contract.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
}

function create(making: Making, given: Schema, name: string): unknown {
  const { random } = making;
  const schema = resolve(given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return create(making, choose(making, choices, name), name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum)
    return name === "curveType" ? p256(random, schema.enum) : random.pick(schema.enum);
  switch (Array.isArray(schema.type) ? random.pick(schema.type) : schema.type) {
    case "object":
      return createObject(making, schema);
    case "array":
      return Array.from({ length: lengthOf(random, schema) }, () =>
        create(making, schema.items ?? {}, name),
      );
    case "integer":
    case "number":
      return numberOf(random, schema);
    case "boolean":
      return random.oneIn(2);
    case "null":
      return null;
    default:
      return createText(making, schema, name);
  }
}

/** The parameters that belong to the type: the contract lists both in the same order. */
function choose({ random, type }: Making, choices: Schema[], name: string): Schema {
  const of = typeof type === "string" && name === "parameters" ? versionOf(type) : 0;
  const fitting = choices.find(({ $ref }) => $ref && versionOf($ref) === of);
  return fitting && !random.oneIn(20) ? fitting : random.pick(choices);
}

function versionOf(name: string): number {
  return Number(/_?V(\d+)$/.exec(name)?.[1] ?? 1);
}

/** A list of social logins that knows no claims. */
function isByToken({ items }: Schema): boolean {
  const { oidcToken, oidcClaims } = (items && resolve(items).properties) || {};
  return oidcToken !== undefined && oidcClaims === undefined;
}

/** Stamps are made with keys of this curve. */
function p256(random: Random, curves: unknown[]): unknown {
  const usual = curves.find((each) => String(each).endsWith("P256"));
  return usual && !random.oneIn(10) ? usual : random.pick(curves);
}

function createObject(making: Making, { properties = {}, required = [] }: Schema) {
  // A selector that lacks a part says nothing, and its parts have to fit each other.
  if ("subject" in properties && !making.random.oneIn(8)) return selectorOf(making, properties);
  const made: Record<string, unknown> = {};
  for (const [member, schema] of Object.entries(properties)) {
    if (!required.includes(member) && !making.random.oneIn(3)) continue;
    // Passkeys take more than random texts, and tokens are refused, so these lists are mostly empty.
    const isRefused = member === "authenticators" || isByToken(schema);
    made[member] = isRefused && !making.random.oneIn(30) ? [] : create(making, schema, member);
  }
  // Fields that must fit each other mostly do.
  return making.random.oneIn(8) ? made : fitting(making, made);
}

function fitting({ random, tenant }: Making, made: Record<string, unknown>) {
  const { curve, addressFormat, addressFormats, unsignedTransaction, type } = made;
  if ("providerName" in made) {
    const { oidcToken: _, ...byClaims } = made;
    const claims = { iss: "https://accounts.example.com", aud: "fuzzer" };
    return { ...byClaims, oidcClaims: { ...claims, sub: String(random.below(1_000_000)) } };
  }
  if (typeof addressFormat === "string") return { ...made, curve: curveOf(random, addressFormat) };
  if (Array.isArray(addressFormats)) {
    const fit = addressFormats.filter((each) => curvesOf(String(each)).includes(String(curve)));
    return { ...made, addressFormats: [...new Set(fit)] };
  }
  if (typeof unsignedTransaction === "string") {
    // The first version names a private key, and any key can sign for Ethereum.
    if ("privateKeyId" in made) return { ...made, type: "TRANSACTION_TYPE_ETHEREUM" };
    return { ...made, ...transactionOf(random, tenant, String(type)) };
  }
  if ("encoding" in made && "payload" in made) return { ...made, ...payloadOf(random, made) };
  return made;
}

/** A test of a policy in one of the two formats that came before expressions. */
function selectorOf({ random, tenant }: Making, properties: Record<string, Schema>) {
  const known = (name: string) => valueFor(random, tenant, name) ?? "unknown";
  const [subject, operator, target] = random.pick([
    ["user.id", "OPERATOR_EQUAL", known("userId")],
    ["user.tags", "OPERATOR_CONTAINS", known("userTagId")],
    ["activity.type", "OPERATOR_NOT_EQUAL", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"],
    ["activity.type", "OPERATOR_EQUAL", "ACTIVITY_TYPE_CREATE_WALLET"],
    ["wallet.id", "OPERATOR_EQUAL", known("walletId")],
  ]);
  return { subject, operator, ...("targets" in properties ? { targets: [target] } : { target }) };
}

function curvesOf(addressFormat: string): readonly string[] {
  const encodings: Record<string, AddressEncoding> = addressEncodings;
  return encodings[addressFormat]?.curves ?? [];
}

function curveOf(random: Random, addressFormat: string): string {
  const curves = curvesOf(addressFormat);
  return curves.length > 0 ? random.pick([...curves]) : "CURVE_SECP256K1";
}

/** Typed data and authorizations as the service reads them. Their digest is not computed by the client. */
function payloadOf(random: Random, { encoding, hashFunction }: Record<string, unknown>) {
  const isDigested = random.oneIn(3) ? { hashFunction: "HASH_FUNCTION_NO_OP" } : { hashFunction };
  if (encoding === "PAYLOAD_ENCODING_EIP712") {
    return { payload: typedData(random), hashFunction: "HASH_FUNCTION_NO_OP" };
  }
  if (encoding !== "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION") return isDigested;
  const payload = { chainId: random.below(10), address: `0x${"ab".repeat(20)}`, nonce: 1 };
  return { payload: JSON.stringify(payload), hashFunction: "HASH_FUNCTION_NO_OP" };
}

function typedData(random: Random): string {
  return JSON.stringify({
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "chainId", type: "uint256" },
      ],
      Note: [
        { name: "text", type: "string" },
        { name: "amounts", type: "uint256[]" },
      ],
    },
    primaryType: "Note",
    domain: { name: "notes", chainId: random.below(5) },
    message: { text: "hello", amounts: [random.below(9), "0x19"] },
  });
}

function lengthOf(random: Random, { minItems = 0, maxItems = 100 }: Schema): number {
  const usual = minItems + random.below(3);
  return Math.min(maxItems, random.oneIn(40) ? minItems + random.below(30) : usual);
}

function numberOf(random: Random, { minimum = 0, maximum = 1000 }: Schema): number {
  if (random.oneIn(20)) return random.pick([minimum, maximum]);
  return minimum + random.below(Math.min(maximum - minimum, 5) + 1);
}

function createText(making: Making, schema: Schema, name: string): string {
  const { random, tenant, made } = making;
  if (name === "publicKey") {
    const key = newKey();
    made.push(key);
    return key.publicKey;
  }
  if (name in clauses) return random.pick(clauses[name as keyof typeof clauses]);
  if (/Name$|^(label|name)$/.test(name)) return `${tenant.canary}${random.below(1_000_000)}`;
  if (name === "path") return `m/44'/60'/0'/0/${random.below(200)}`;
  if (name === "expirationSeconds") return String(60 + random.below(3600));
  if (name === "encryptedBundle") return encryptedBundle(making);
  if (name === "payload" && !random.oneIn(3)) return random.text("0123456789abcdef", 64);
  const known = random.oneIn(30) ? undefined : valueFor(random, tenant, name);
  return known ?? String(random.pick(schema.examples ?? examples.get(name) ?? ["text"]));
}

/** What a client encrypts for an import: a mnemonic or a key, to one of the newest target keys. */
function encryptedBundle({ random, tenant, type }: Making): string {
  const isWallet = String(type).includes("WALLET");
  const purpose = isWallet ? "initImportWalletResult" : "initImportPrivateKeyResult";
  const targets = tenant.known.get(purpose)?.slice(-2) ?? [];
  if (targets.length === 0) return "{}";
  const bytes = decodeHex(random.text("0123456789abcdef", 64));
  const secret = isWallet ? encodeUtf8(entropyToMnemonic(bytes)) : bytes;
  return encryptToBundle(secret, random.pick(targets));
}
