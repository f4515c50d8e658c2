import { type AddressFormatName, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Attacked,
  addUser,
  ask,
  bytesOf,
  documentOf,
  edit,
  knock,
  makePolicy,
  newVictim,
  type Person,
  perform,
  resultOf,
  sign,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// A host that helps a clerk brings the records of a key to the signer's door, however a request spells the
// key's address. The door and the API must find the same keys, by one text for each key.

let server: Attacked;
let victim: Victim;
let clerk: Person;
let keys: Key[];

type Key = { kind: string; format: AddressFormatName; address: string; records: Uint8Array[] };

const formats = Object.keys(addressEncodings) as AddressFormatName[];

beforeAll(async () => {
  server = await startAttackedServer();
  victim = await newVictim(server);
  clerk = await addUser(server, victim);
  const wallet = await perform(server, victim, {
    endpoint: "create_wallet",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "every format", accounts: formats.map(accountOf) },
  });
  const accounts = resultOf(wallet, "createWalletResult").addresses as string[];
  const made = await perform(server, victim, {
    endpoint: "create_private_keys",
    type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
    parameters: { privateKeys: formats.map(privateKeyOf) },
  });
  const { privateKeys } = resultOf(made, "createPrivateKeysResultV2") as {
    privateKeys: { privateKeyId: string; addresses: { address: string }[] }[];
  };
  const allowed = `approvers.any(user, user.id == '${clerk.userId}')`;
  await perform(server, victim, makePolicy("clerk", "EFFECT_ALLOW", { consensus: allowed }));
  const document = await documentOf(server, victim.organizationId);
  const walletRecord = await onlyRecord("wallets", "true");
  keys = await Promise.all([
    ...formats.map(async (format, i) => {
      const address = accounts[i] ?? "";
      const record = await onlyRecord("wallet_accounts", `address = '${address}'`);
      return { kind: "account", format, address, records: [document, record, walletRecord] };
    }),
    ...formats.map(async (format, i) => {
      const { privateKeyId = "", addresses = [] } = privateKeys[i] ?? {};
      const record = await onlyRecord("private_keys", `private_key_id = '${privateKeyId}'::uuid`);
      const address = addresses[0]?.address ?? "";
      return { kind: "private key", format, address, records: [document, record] };
    }),
  ]);
});

afterAll(() => server?.stop());

describe("the one address of a key", () => {
  test("is found in every format by its own text alone, and in Ethereum's also without a checksum", () => {
    expect(keys).toHaveLength(72);
    for (const key of keys) {
      const { format, address } = key;
      const found = [address, ...mutated(address)].filter((given) => isFound(key, given));
      const digits = address.slice(2);
      const others = [`0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`];
      const isEthereum = format === "ADDRESS_FORMAT_ETHEREUM";
      expect(new Set(found), `${key.kind} ${format}`).toEqual(
        new Set([address, ...(isEthereum ? others : [])]),
      );
    }
  });

  test("is found by the API exactly if it is found at the signer's door", async () => {
    for (const key of keys) {
      const random = fc.sample(spellingOf(key.address), { numRuns: 5 });
      for (const given of [key.address, ...mutated(key.address), ...random]) {
        const { status } = await ask(server, victim, signing(key, given), clerk.key);
        expect({ given, isFound: status === 200 }).toEqual({ given, isFound: isFound(key, given) });
      }
    }
  });

  test("hides from no DENY in any spelling that is accepted at the signer's door", async () => {
    for (const [i, { kind, address }] of keys.entries()) {
      const isEthereum = /^0x[0-9a-fA-F]{40}$/.test(address);
      const shown = isEthereum && kind === "account" ? lowerCase(address) : address;
      const condition = `activity.params.sign_with == '${shown}'`;
      await perform(server, victim, makePolicy(`not ${i}`, "EFFECT_DENY", { condition }));
    }
    const document = await documentOf(server, victim.organizationId);
    for (const key of keys) {
      const denied = { ...key, records: [document, ...key.records.slice(1)] };
      const reasons = [key.address, ...mutated(key.address)].map((given) =>
        reasonAt(denied, given),
      );
      expect([...new Set(reasons)].sort()).toEqual(["NOT_FOUND", "POLICY_DENIED"]);
      const random = fc.sample(spellingOf(key.address), { numRuns: 30 });
      for (const given of random) {
        expect(reasonAt(denied, given), given).toMatch(/^(NOT_FOUND|POLICY_DENIED|FIELD_INVALID)$/);
      }
    }
  });
});

function isFound(key: Key, given: string): boolean {
  const reason = reasonAt(key, given);
  expect([undefined, "NOT_FOUND", "FIELD_INVALID"]).toContain(reason);
  return reason === undefined;
}

/** Undefined if the signer signs. */
function reasonAt(key: Key, given: string): string | undefined {
  const what = signing(key, given);
  const body = bytesOf(server, victim.organizationId, what);
  const answer = knock(server, {
    endpoint: what.endpoint,
    body,
    key: clerk.key,
    records: key.records,
  });
  return answer.kind === "error" ? answer.error.reason : undefined;
}

function signing({ format }: Key, signWith: string) {
  const { parameters, ...what } = sign(signWith);
  const isHashed = curveOf(format) !== "CURVE_ED25519";
  const hashFunction = isHashed ? "HASH_FUNCTION_SHA256" : "HASH_FUNCTION_NOT_APPLICABLE";
  return { ...what, parameters: { ...parameters, hashFunction } };
}

/** Other ways to write an address that readers of some chain might take for the same. */
function mutated(address: string): string[] {
  const letters = [...address].flatMap((letter, i) => (/[a-z]/i.test(letter) ? [i] : []));
  const [first = 0] = letters.slice(2);
  const last = letters.at(-1) ?? 0;
  const digits = address.replace(/^0x/, "");
  const spellings = [
    address.toLowerCase(),
    address.toUpperCase(),
    `0x${digits}`,
    `0x${digits.toLowerCase()}`,
    `0x${digits.toUpperCase()}`,
    `0X${digits}`,
    digits,
    otherCase(address, first),
    otherCase(address, last),
    otherCase(otherCase(address, first), last),
    `0x0${digits}`,
    `0x00${digits}`,
    `bitcoin:${address}`,
    `ethereum:${address}`,
    ` ${address}`,
    `${address} `,
    `${address}\u200b`,
    `${address.slice(0, 6)}-${address.slice(6)}`,
    address.replaceAll("-", "+").replaceAll("_", "/"),
    `${address}=`,
    ...otherEncodings(address),
  ];
  return [...new Set(spellings)].filter((given) => given !== address);
}

/** The same bytes in base64url as hex, and the other way round. */
function otherEncodings(address: string): string[] {
  const bytes = Buffer.from(address, "base64url");
  const hex = /^(0x)?([0-9a-f]+)$/i.exec(address)?.[2];
  if (hex && hex.length % 2 === 0)
    return [Buffer.from(decodeHex(lowerCase(hex))).toString("base64url")];
  return bytes.length === 36 ? [encodeHex(bytes), bytes.toString("base64")] : [];
}

/** The address with any letters in another case, and perhaps with a prefix and a separator. */
function spellingOf(address: string): fc.Arbitrary<string> {
  const cases = fc.array(fc.boolean(), { minLength: address.length, maxLength: address.length });
  const prefix = fc.constantFrom("", "", "", "0x", "0X", " ");
  const place = fc.nat(address.length);
  const separator = fc.constantFrom("", "", "", "-", "_", " ", "\u00ad");
  return fc.tuple(cases, prefix, place, separator).map(([flips, before, at, between]) => {
    const text = [...address]
      .map((letter, i) => (flips[i] ? otherCase(letter, 0) : letter))
      .join("");
    return `${before}${text.slice(0, at)}${between}${text.slice(at)}`;
  });
}

function otherCase(text: string, at: number): string {
  const letter = text.charAt(at);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return text.slice(0, at) + other + text.slice(at + 1);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function curveOf(format: AddressFormatName): string {
  return addressEncodings[format].curves[0];
}

function accountOf(addressFormat: AddressFormatName, index: number) {
  const path = `m/44'/0'/0'/0'/${index}'`;
  return { curve: curveOf(addressFormat), pathFormat: "PATH_FORMAT_BIP32", path, addressFormat };
}

function privateKeyOf(format: AddressFormatName) {
  return {
    privateKeyName: format,
    curve: curveOf(format),
    privateKeyTags: [],
    addressFormats: [format],
  };
}

async function onlyRecord(table: string, condition: string): Promise<Uint8Array> {
  const text = `SELECT record FROM ${table} WHERE organization_id = $1::uuid AND ${condition}`;
  const [row] = await edit(server, text, [victim.organizationId]);
  if (!(row?.record instanceof Uint8Array)) throw new Error(`no such record in ${table}`);
  return new Uint8Array(row.record);
}
