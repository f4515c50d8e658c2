import { newOrganization } from "@keyhearth/api/testing";
import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { recoverSecp256k1, verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import type { SignRawPayloadResult } from "@keyhearth/sdk";
import { hashTypedData } from "viem";
import { hashAuthorization } from "viem/utils";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  errorOf,
  ethereumAccount,
  expectDenied,
  first,
  newQuorum,
  post,
  refusal,
  solanaAccount,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { denial, noneAllows, rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
const utf8 = "PAYLOAD_ENCODING_TEXT_UTF8";
const hexadecimal = "PAYLOAD_ENCODING_HEXADECIMAL";

async function newKeys() {
  const organization = await newOrganization();
  const { root } = organization;
  const { addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, solanaAccount],
  });
  const [ethereum = "", solana = ""] = addresses;
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "hot",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  const { privateKeyId = "", addresses: keyAddresses } = first(privateKeys);
  const keyAddress = first(keyAddresses).address ?? "";
  return { ...organization, ethereum, solana, privateKeyId, keyAddress };
}

function recoverAddress(digest: Uint8Array, { r, s, v }: SignRawPayloadResult): string {
  expect(r).toMatch(/^[0-9a-f]{64}$/);
  expect(s).toMatch(/^[0-9a-f]{64}$/);
  expect(v).toMatch(/^0[01]$/);
  const recovery = v === "00" ? 0 : 1;
  return ethereumAddress(recoverSecp256k1(digest, { r: decodeHex(r), s: decodeHex(s), recovery }));
}

test("the signature recovers to the address, with each hash function and encoding", async () => {
  const { root, ethereum } = await newKeys();
  const text = "hello \u{1f511}";
  const bytes = encodeUtf8(text);
  const hex = encodeHex(bytes);
  const digest = sha256(bytes);
  const cases = [
    [text, utf8, "HASH_FUNCTION_KECCAK256", keccak256(bytes)],
    [text, utf8, "HASH_FUNCTION_SHA256", digest],
    [hex, hexadecimal, "HASH_FUNCTION_KECCAK256", keccak256(bytes)],
    [`0x${hex}`, hexadecimal, "HASH_FUNCTION_SHA256", digest],
    [hex.toUpperCase(), hexadecimal, "HASH_FUNCTION_SHA256", digest],
    [encodeHex(digest), hexadecimal, "HASH_FUNCTION_NO_OP", digest],
  ] as const;
  for (const [payload, encoding, hashFunction, expected] of cases) {
    const request = { signWith: ethereum, payload, encoding, hashFunction };
    const { activity, r, s, v } = await root.signRawPayload(request);
    expect(recoverAddress(expected, { r, s, v })).toBe(ethereum);
    expect(activity).toMatchObject({ type, status: "ACTIVITY_STATUS_COMPLETED" });
    expect(activity.intent).toEqual({ signRawPayloadIntentV2: request });
    expect(activity.result).toEqual({ signRawPayloadResult: { r, s, v } });
  }
});

test("an Ed25519 account signs the message itself", async () => {
  const { root, solana } = await newKeys();
  const { account } = await root.getWalletAccount({
    walletId: first((await root.listWallets()).wallets).walletId,
    address: solana,
  });
  const { r, s, v } = await root.signRawPayload({
    signWith: solana,
    payload: "hello",
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  });
  expect(v).toBe("00");
  const publicKey = decodeHex(account.publicKey ?? "");
  expect(verifyEd25519(publicKey, encodeUtf8("hello"), decodeHex(r + s))).toBe(true);
});

test("a private key signs by its id or its address, and a 0x address may be in any case", async () => {
  const { root, ethereum, keyAddress, privateKeyId } = await newKeys();
  const sign = (signWith: string) =>
    root.signRawPayload({
      signWith,
      payload: "hello",
      encoding: utf8,
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
  const digest = keccak256(encodeUtf8("hello"));
  for (const signWith of [privateKeyId, keyAddress, keyAddress.toLowerCase()]) {
    expect(recoverAddress(digest, await sign(signWith))).toBe(keyAddress);
  }
  const spellings = [ethereum, ethereum.toLowerCase(), `0x${ethereum.slice(2).toUpperCase()}`];
  for (const signWith of spellings) {
    expect(recoverAddress(digest, await sign(signWith))).toBe(ethereum);
  }
});

test("the first version names a private key by its id", async () => {
  const { root, privateKeyId, keyAddress } = await newKeys();
  const request = {
    privateKeyId,
    payload: "hello",
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_SHA256",
  } as const;
  const { activity, ...signature } = await root.signRawPayload(request, {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD",
  });
  expect(recoverAddress(sha256(encodeUtf8("hello")), signature)).toBe(keyAddress);
  expect(activity.intent).toEqual({ signRawPayloadIntent: request });
  expect(activity.result).toEqual({ signRawPayloadResult: signature });
});

test("signatures are deterministic", async () => {
  const { root, ethereum, solana } = await newKeys();
  for (const [signWith, hashFunction] of [
    [ethereum, "HASH_FUNCTION_KECCAK256"],
    [solana, "HASH_FUNCTION_NOT_APPLICABLE"],
  ] as const) {
    const request = { signWith, payload: "hello", encoding: utf8, hashFunction } as const;
    const { activity: one, ...signature } = await root.signRawPayload(request);
    const timestampMs = String(Date.now() - 1000);
    const { activity: two, ...again } = await root.signRawPayload(request, { timestampMs });
    expect(again).toEqual(signature);
    expect(two.id).not.toBe(one.id);
  }
});

test("the same bytes again, also concurrently, are the same activity", async () => {
  const { root, organizationId, ethereum } = await newKeys();
  const parameters = {
    signWith: ethereum,
    payload: "hello",
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_KECCAK256",
  };
  const body = bodyOf(organizationId, { type, parameters });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(root, "sign_raw_payload", body)),
  );
  answers.push(await post(root, "sign_raw_payload", body));
  const [one, ...others] = answers;
  for (const activity of others) expect(activity).toEqual(one);
  expect((await root.listActivities({ filterByType: [type] })).activities).toHaveLength(1);
});

const permit = {
  types: {
    Permit: [
      { name: "owner", type: "address" },
      { name: "spender", type: "address" },
      { name: "value", type: "uint256" },
    ],
  },
  primaryType: "Permit",
  domain: {
    name: "Dollar",
    version: "2",
    chainId: 1,
    verifyingContract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  },
  message: {
    owner: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
    spender: "0x1111111254EEB25477B68fb85Ed929f73A960582",
    value: "1000",
  },
} as const;

test("typed data is read, and its digest signed", async () => {
  const { root, ethereum } = await newKeys();
  const signature = await root.signRawPayload({
    signWith: ethereum,
    payload: JSON.stringify(permit),
    encoding: "PAYLOAD_ENCODING_EIP712",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  const digest = hashTypedData({ ...permit, message: { ...permit.message, value: 1000n } });
  expect(recoverAddress(decodeHex(digest.slice(2)), signature)).toBe(ethereum);
});

test("an authorization of EIP-7702 is read, and its digest signed", async () => {
  const { root, ethereum } = await newKeys();
  const authorization = { chainId: 1, address: permit.message.spender, nonce: 7 } as const;
  const signature = await root.signRawPayload({
    signWith: ethereum,
    payload: JSON.stringify(authorization),
    encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  const digest = decodeHex(hashAuthorization(authorization).slice(2));
  expect(recoverAddress(digest, signature)).toBe(ethereum);
});

test("policies read an integer in hexadecimal digits as the same number", async () => {
  const organization = await newKeys();
  const { client, userId } = await addUser(organization);
  const most = (2n ** 256n - 1n).toString();
  const about = "eth.eip_712.primary_type == 'Permit' && eth.eip_712.message['value']";
  await rule(organization, "EFFECT_ALLOW", { userId }, `${about} != '${most}'`);
  const sign = (value: string) =>
    client.signRawPayload({
      signWith: organization.ethereum,
      payload: JSON.stringify({ ...permit, message: { ...permit.message, value } }),
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
  await sign("1000");
  await expectDenied(sign(most));
  await expectDenied(sign(`0x${"f".repeat(64)}`));

  await rule(organization, "EFFECT_DENY", { userId }, `${about} in ['0', '255']`);
  await sign("0x3e9");
  for (const value of ["255", "0xff", "0xFF", "0x00ff", "0x0"]) {
    expect((await denial(sign(value))).message).not.toBe(noneAllows);
  }
});

test("typed data without a chain or contract does not pass policies about them", async () => {
  const organization = await newKeys();
  const { client, userId } = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", { userId }, "activity.action == 'SIGN'");
  const domain = (rest: object) => ({ name: "Orders", version: "1", ...rest });
  const sign = (given: object) =>
    client.signRawPayload({
      signWith: organization.ethereum,
      payload: JSON.stringify({
        types: { Order: [{ name: "amount", type: "uint256" }] },
        primaryType: "Order",
        domain: given,
        message: { amount: "1" },
      }),
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
  const { spender: verifyingContract } = permit.message;
  const denied = async (given: object) => {
    const { message } = await denial(sign(given));
    expect(message).not.toBe(noneAllows);
  };
  await sign(domain({}));
  const contract = `eth.eip_712.domain.verifying_contract != '${verifyingContract}'`;
  await rule(organization, "EFFECT_DENY", { userId }, contract);
  await sign(domain({ verifyingContract }));
  await denied(domain({}));
  await rule(organization, "EFFECT_DENY", { userId }, "eth.eip_712.domain.chain_id != 1");
  await sign(domain({ verifyingContract, chainId: 1 }));
  await denied(domain({ verifyingContract, chainId: 2 }));
  await denied(domain({ verifyingContract }));
});

test("policies read typed data and authorizations", async () => {
  const organization = await newKeys();
  const { root, ethereum } = organization;
  const { client, userId } = await addUser(organization);
  const only = {
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${userId}')`,
  } as const;
  await root.createPolicy({
    ...only,
    policyName: "permits of one dollar",
    condition:
      "eth.eip_712.primary_type == 'Permit' && eth.eip_712.domain.chain_id == 1 && eth.eip_712.domain.verifying_contract == '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' && eth.eip_712.message['spender'] == '0x1111111254eeb25477b68fb85ed929f73a960582' && eth.eip_712.message['value'] == '1000'",
    notes: "",
  });
  await root.createPolicy({
    ...only,
    policyName: "one delegate",
    condition:
      "eth.eip_7702_authorization.address == '0x1111111254eeb25477b68fb85ed929f73a960582' && eth.eip_7702_authorization.chain_id == 1 && eth.eip_7702_authorization.nonce < 10",
    notes: "",
  });
  const sign = (payload: unknown, encoding: "EIP712" | "EIP7702_AUTHORIZATION") =>
    client.signRawPayload({
      signWith: ethereum,
      payload: JSON.stringify(payload),
      encoding: `PAYLOAD_ENCODING_${encoding}`,
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
  await sign(permit, "EIP712");
  await expectDenied(sign({ ...permit, message: { ...permit.message, value: "1001" } }, "EIP712"));
  await expectDenied(sign({ ...permit, domain: { ...permit.domain, chainId: 10 } }, "EIP712"));
  const delegate = { chainId: 1, address: permit.message.spender, nonce: 7 };
  await sign(delegate, "EIP7702_AUTHORIZATION");
  await expectDenied(sign({ ...delegate, nonce: 10 }, "EIP7702_AUTHORIZATION"));
  await expectDenied(sign({ ...delegate, address: permit.message.owner }, "EIP7702_AUTHORIZATION"));
  // Raw bytes have no root in the policy language, and pass neither policy.
  await expectDenied(
    client.signRawPayload({
      signWith: ethereum,
      payload: "00".repeat(32),
      encoding: hexadecimal,
      hashFunction: "HASH_FUNCTION_NO_OP",
    }),
  );
});

test("bad parameters are refused by field", async () => {
  const { root, ethereum, solana } = await newKeys();
  const valid = {
    signWith: ethereum,
    payload: "hello",
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_SHA256",
  };
  const cases: [object, string, string, unknown][] = [
    [
      { encoding: "PAYLOAD_ENCODING_BASE64" },
      "FIELD_INVALID",
      "parameters.encoding",
      "invalid payload encoding: `parameters.encoding` is `PAYLOAD_ENCODING_BASE64`; accepted: PAYLOAD_ENCODING_HEXADECIMAL, PAYLOAD_ENCODING_TEXT_UTF8, PAYLOAD_ENCODING_EIP712, PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    ],
    [
      { hashFunction: "HASH_FUNCTION_MD5" },
      "FIELD_INVALID",
      "parameters.hashFunction",
      "invalid hash function: `parameters.hashFunction` is `HASH_FUNCTION_MD5`; accepted: HASH_FUNCTION_NO_OP, HASH_FUNCTION_SHA256, HASH_FUNCTION_KECCAK256, HASH_FUNCTION_NOT_APPLICABLE",
    ],
    ...["xyz", "abc", "0xabc", "0x0x", "ab cd"].map((payload): [object, string, string, string] => [
      { payload, encoding: hexadecimal },
      "FIELD_INVALID",
      "parameters.payload",
      `invalid payload encoding: \`parameters.payload\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\`, got \`${payload}\``,
    ]),
    ...[utf8, hexadecimal, "PAYLOAD_ENCODING_EIP712"].map(
      (encoding): [object, string, string, string] => [
        { payload: "", encoding },
        "FIELD_INVALID",
        "parameters.payload",
        "must not be empty: `parameters.payload` is ``",
      ],
    ),
    [
      { payload: "0x", encoding: hexadecimal },
      "FIELD_INVALID",
      "parameters.payload",
      "must not be empty: `parameters.payload` is `0x`, which has no digits",
    ],
    [
      { payload: "00".repeat(31), encoding: hexadecimal, hashFunction: "HASH_FUNCTION_NO_OP" },
      "DIGEST_INVALID",
      "parameters.payload",
      "expected a 32-bytes-long digest, got 31 bytes: HASH_FUNCTION_NO_OP signs a digest as it is",
    ],
    [
      { encoding: "PAYLOAD_ENCODING_EIP712", payload: JSON.stringify(permit) },
      "FIELD_INVALID",
      "parameters.hashFunction",
      "invalid hash function: with `PAYLOAD_ENCODING_EIP712` the service computes the digest, so the hash function must be HASH_FUNCTION_NO_OP, got `HASH_FUNCTION_SHA256`",
    ],
    [
      { encoding: "PAYLOAD_ENCODING_EIP712", hashFunction: "HASH_FUNCTION_NO_OP" },
      "TRANSACTION_INVALID",
      "parameters.payload",
      expect.stringMatching(/^failed to parse payload: typed data/),
    ],
    [
      {
        encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
        hashFunction: "HASH_FUNCTION_NO_OP",
        payload: '{"chainId":1,"address":"0x12","nonce":0}',
      },
      "TRANSACTION_INVALID",
      "parameters.payload",
      expect.stringMatching(/^failed to parse payload: authorization/),
    ],
    [
      {
        signWith: solana,
        encoding: "PAYLOAD_ENCODING_EIP712",
        hashFunction: "HASH_FUNCTION_NO_OP",
      },
      "FIELD_INVALID",
      "parameters.encoding",
      "invalid payload encoding: `PAYLOAD_ENCODING_EIP712` needs a key of CURVE_SECP256K1, but `signWith` names a key of CURVE_ED25519",
    ],
    [
      { hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" },
      "FIELD_INVALID",
      "parameters.hashFunction",
      "invalid hash function: HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 keys; this key needs HASH_FUNCTION_NO_OP, HASH_FUNCTION_SHA256 or HASH_FUNCTION_KECCAK256",
    ],
    [
      { signWith: solana },
      "FIELD_INVALID",
      "parameters.hashFunction",
      "invalid hash function: an Ed25519 key needs HASH_FUNCTION_NOT_APPLICABLE, got `HASH_FUNCTION_SHA256`",
    ],
  ];
  for (const [change, code, field, message] of cases) {
    const parameters = { ...valid, ...change };
    const refused = await refusal(submit(root, "sign_raw_payload", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
});

test("everything that is wrong is refused at once, also if the key is not found", async () => {
  const { root, ethereum } = await newKeys();
  const wrong = {
    payload: "0x12345",
    encoding: hexadecimal,
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  };
  const fieldsOf = async (parameters: object) => {
    const error = await errorOf(submit(root, "sign_raw_payload", { type, parameters }));
    return [error.httpStatus, ...error.details.map(({ field }) => field)];
  };
  const payload = "parameters.payload";
  const hashFunction = "parameters.hashFunction";
  expect(await fieldsOf({ ...wrong, signWith: ethereum })).toEqual([400, hashFunction, payload]);
  const unknown = { signWith: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" };
  const noKey = [404, "parameters.signWith"];
  expect(await fieldsOf({ ...wrong, ...unknown })).toEqual([...noKey, payload]);
  expect(await fieldsOf({ ...wrong, ...unknown, payload: "00" })).toEqual(noKey);
  expect(
    await fieldsOf({ ...wrong, ...unknown, hashFunction: "HASH_FUNCTION_NO_OP", payload: "00" }),
  ).toEqual([...noKey, payload]);
  expect(await fieldsOf({ ...wrong, ...unknown, encoding: "PAYLOAD_ENCODING_EIP712" })).toEqual([
    ...noKey,
    hashFunction,
    payload,
  ]);
  expect(await fieldsOf({ payload: "", encoding: "hex", hashFunction: "md5" })).toEqual([
    400,
    "parameters.signWith",
    payload,
    "parameters.encoding",
    hashFunction,
  ]);
  expect((await root.listActivities({ filterByType: [type] })).activities).toEqual([]);
});

test("typed data is not signed without a domain that says whom it is for", async () => {
  const { root, ethereum } = await newKeys();
  const domainType = (...names: ("name" | "chainId")[]) => ({
    EIP712Domain: names.map((name) => ({ name, type: name === "name" ? "string" : "uint256" })),
  });
  const cases: [domain: unknown, declared: object, message: RegExp][] = [
    [{}, {}, /: domain: has no members: expected at least one of name, /],
    [{}, domainType(), /: domain: has no members: expected at least one of name, /],
    [undefined, {}, /: typed data: member `domain` is missing$/],
    [null, {}, /: domain: expected an object, got null$/],
    [{ name: "Dollar" }, domainType(), /: domain \(`EIP712Domain`\): unknown member `name`$/],
    [{}, domainType("name"), /: domain \(`EIP712Domain`\): member `name` is missing$/],
    [
      { name: "Dollar" },
      domainType("name", "chainId"),
      /: domain \(`EIP712Domain`\): member `chainId` is missing$/,
    ],
    [
      { name: "Dollar", chainId: 1 },
      domainType("name"),
      /: domain \(`EIP712Domain`\): unknown member `chainId`$/,
    ],
  ];
  for (const [domain, declared, message] of cases) {
    const payload = JSON.stringify({ ...permit, types: { ...declared, ...permit.types }, domain });
    const parameters = {
      signWith: ethereum,
      payload,
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    };
    const refused = await refusal(submit(root, "sign_raw_payload", { type, parameters }));
    expect(refused).toEqual(
      badRequest("TRANSACTION_INVALID", "parameters.payload", expect.stringMatching(message)),
    );
  }
});

test("a key that is not of the organization is not found", async () => {
  const { root, organizationId, solana } = await newKeys();
  const other = await newKeys();
  const unknown = [
    other.ethereum,
    other.solana,
    other.privateKeyId,
    other.keyAddress,
    solana.toLowerCase(),
    "nobody",
  ];
  for (const signWith of unknown) {
    const request = {
      signWith,
      payload: "hello",
      encoding: utf8,
      hashFunction: "HASH_FUNCTION_SHA256",
    } as const;
    expect(await refusal(root.signRawPayload(request))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.signWith",
      message: `Could not find any resource to sign with: \`${signWith}\` is neither the id of a private key nor an address of organization ${organizationId}`,
    });
  }
});

test("a quorum signs after the last approval", async () => {
  const { root, second } = await newQuorum();
  const wallet = await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "treasury", accounts: [ethereumAccount] },
  });
  await second.client.approveActivity({ fingerprint: wallet.fingerprint });
  const { walletId } = first((await root.listWallets()).wallets);
  const { address } = first((await root.listWalletAccounts({ walletId })).accounts);
  const parameters = {
    signWith: address,
    payload: "hello",
    encoding: utf8,
    hashFunction: "HASH_FUNCTION_KECCAK256",
  };
  const { fingerprint } = await startWaiting(root, "sign_raw_payload", { type, parameters });
  const { activity, result: signature } = await second.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const digest = keccak256(encodeUtf8("hello"));
  expect(recoverAddress(digest, signature as SignRawPayloadResult)).toBe(address);
});
