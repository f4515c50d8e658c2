import { newOrganization, startTestServer } from "@keyhearth/api/testing";
import { solanaAddress } from "@keyhearth/crypto/addresses/solana";
import { encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createTargetKey, encryptPrivateKeyToBundle } from "@keyhearth/sdk/crypto";
import { computeAddress } from "ethers";
import { expect, test } from "vitest";
import {
  encryptFor,
  exportedKey,
  exportMnemonic,
  importMnemonic,
  rootOf,
  signerPublicKeyOf,
} from "../bundles.testing.ts";
import {
  addUser,
  badRequest,
  errorOf,
  ethereumAccount,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { rule } from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY";
const field = "parameters.encryptedBundle";

/** What an import asks for besides the encrypted key. */
const hot = {
  privateKeyName: "hot",
  curve: "CURVE_SECP256K1" as const,
  addressFormats: ["ADDRESS_FORMAT_ETHEREUM" as const],
};

test("a key is imported under its addresses, and signs", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const key = generatePrivateKey("CURVE_SECP256K1");
  const encryptedBundle = await encryptFor(organization, "private-key", key, rootOf(organization));
  const made = await root.importPrivateKey({ userId, ...hot, encryptedBundle });
  const address = computeAddress(`0x${encodeHex(key)}`);
  const { privateKeyId } = made;
  expect(made.addresses).toEqual([{ format: "ADDRESS_FORMAT_ETHEREUM", address }]);
  expect(made.activity).toMatchObject({
    type,
    status: "ACTIVITY_STATUS_COMPLETED",
    result: { importPrivateKeyResult: { privateKeyId, addresses: made.addresses } },
  });
  const { privateKey } = await root.getPrivateKey({ privateKeyId });
  expect(privateKey).toMatchObject({
    privateKeyId,
    privateKeyName: "hot",
    publicKey: encodeHex(publicKeyOf("CURVE_SECP256K1", key)),
    privateKeyTags: [],
    imported: true,
    exported: false,
  });
  const { r } = await root.signRawPayload({
    signWith: address,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  expect(r).toMatch(/^[0-9a-f]{64}$/);
});

test.each(["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"] as const)(
  "a key of %s comes back as it was imported",
  async (curve) => {
    const organization = await newOrganization();
    const { root, userId } = organization;
    const key = generatePrivateKey(curve);
    const by = rootOf(organization);
    const encryptedBundle = await encryptFor(organization, "private-key", key, by);
    const { privateKeyId } = await root.importPrivateKey({
      userId,
      privateKeyName: "hot",
      curve,
      addressFormats: ["ADDRESS_FORMAT_COMPRESSED"],
      encryptedBundle,
    });
    const exported = await exportedKey(organization, (targetPublicKey) =>
      root.exportPrivateKey({ privateKeyId, targetPublicKey }),
    );
    expect(exported).toBe(encodeHex(key));
  },
);

test("a Solana key pair in base58 is imported by its first half", async () => {
  const { root, userId, organizationId, server } = await newOrganization();
  const { importBundle } = await root.initImportPrivateKey({ userId });
  const key = "2b".repeat(32);
  const publicKey = publicKeyOf("CURVE_ED25519", decodeHex(key));
  const pair = encodeBase58(concatBytes(decodeHex(key), publicKey));
  const encryptedBundle = encryptPrivateKeyToBundle({
    privateKey: pair,
    keyFormat: "SOLANA",
    importBundle,
    organizationId,
    userId,
    signerPublicKey: signerPublicKeyOf(server),
  });
  const { addresses } = await root.importPrivateKey({
    userId,
    privateKeyName: "sol",
    curve: "CURVE_ED25519",
    addressFormats: ["ADDRESS_FORMAT_SOLANA"],
    encryptedBundle,
  });
  expect(addresses).toEqual([
    { format: "ADDRESS_FORMAT_SOLANA", address: solanaAddress(publicKey) },
  ]);
});

const bundleError = (text: string) => ({
  httpStatus: 400,
  grpcCode: 3,
  code: "BUNDLE_INVALID",
  field,
  message: expect.stringContaining(text),
});

const notOpen = (text: string) => ({
  httpStatus: 400,
  grpcCode: 3,
  code: "IMPORT_NOT_OPEN",
  field,
  message: expect.stringContaining(text),
});

test("a target key works once, and only for its user, its purpose and its organization", async () => {
  const organization = await newOrganization();
  const other = await newOrganization(organization.server);
  const { root, userId } = organization;
  const importKey = (encryptedBundle: string, privateKeyName = "hot") =>
    root.importPrivateKey({ userId, ...hot, privateKeyName, encryptedBundle });
  const newKey = () => generatePrivateKey("CURVE_SECP256K1");

  const foreign = await encryptFor(other, "private-key", newKey(), rootOf(other));
  expect(await refusal(importKey(foreign))).toEqual(notOpen("there is no target key"));

  const mine = await encryptFor(organization, "private-key", newKey(), rootOf(organization));
  expect(await refusal(importKey(foreign))).toEqual(bundleError("cannot be decrypted"));
  // What was wrong did not use the key up.
  await importKey(mine);
  expect(await refusal(importKey(mine, "again"))).toEqual(notOpen("was used by an earlier import"));

  const replaced = await encryptFor(organization, "private-key", newKey(), rootOf(organization));
  await root.initImportPrivateKey({ userId });
  expect(await refusal(importKey(replaced, "late"))).toEqual(bundleError("cannot be decrypted"));
  const seed = await encryptFor(organization, "wallet", newKey(), rootOf(organization));
  expect(await refusal(importKey(seed, "seed"))).toEqual(bundleError("cannot be decrypted"));
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(1);
});

test("a secret that is not a key of the curve is refused, and not shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const by = rootOf(organization);
  const text = "7c".repeat(32);
  const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
  const secrets: [Uint8Array, string][] = [
    [encodeUtf8(text), "holds 64 bytes, and a private key has 32"],
    [new Uint8Array(0), "holds 0 bytes"],
    [new Uint8Array(31).fill(7), "holds 31 bytes"],
    [new Uint8Array(32), "not a private key of `CURVE_SECP256K1`"],
    [decodeHex(order), "not a private key of `CURVE_SECP256K1`"],
  ];
  for (const [secret, message] of secrets) {
    const encryptedBundle = await encryptFor(organization, "private-key", secret, by);
    const refused = await refusal(root.importPrivateKey({ userId, ...hot, encryptedBundle }));
    expect(refused).toEqual(bundleError(message));
    if (secret.length > 0) expect(refused.message).not.toContain(encodeHex(secret));
    expect(refused.message).not.toContain(text);
  }
});

test("a changed, cut or malformed bundle is refused by its field", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const key = generatePrivateKey("CURVE_SECP256K1");
  const good = await encryptFor(organization, "private-key", key, rootOf(organization));
  const { encappedPublic, ciphertext } = JSON.parse(good) as Record<string, string>;
  const { importBundle } = await root.initImportWallet({ userId });
  const { targetPublicKey } = createTargetKey();
  const bad: [string, string][] = [
    ["", "is not what client libraries make"],
    ["{}", "is not what client libraries make"],
    [importBundle, "is not what client libraries make"],
    [JSON.stringify({ encappedPublic, ciphertext, more: "" }), "is not what client libraries make"],
    [JSON.stringify({ encappedPublic, ciphertext: `${ciphertext}0` }), "is not what client"],
    [JSON.stringify({ encappedPublic, ciphertext: ciphertext?.slice(2) }), "holds 31 bytes"],
    [JSON.stringify({ encappedPublic, ciphertext: "00" }), "holds 0 bytes"],
    [JSON.stringify({ encappedPublic: targetPublicKey, ciphertext }), "cannot be decrypted"],
    [JSON.stringify({ encappedPublic: `04${"01".repeat(64)}`, ciphertext }), "cannot be decrypted"],
    [
      JSON.stringify({
        encappedPublic,
        ciphertext: ciphertext?.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
      }),
      "cannot be decrypted",
    ],
  ];
  for (const [encryptedBundle, message] of bad) {
    const refused = await refusal(root.importPrivateKey({ userId, ...hot, encryptedBundle }));
    expect(refused, encryptedBundle).toEqual(bundleError(message));
  }
  await root.importPrivateKey({ userId, ...hot, encryptedBundle: good });
});

test("no message shows a secret that was sent in place of a bundle", async () => {
  const { root, userId } = await newOrganization();
  const secret = "7c".repeat(32);
  for (const encryptedBundle of [secret, secret.repeat(200)]) {
    const refused = await refusal(root.importPrivateKey({ userId, ...hot, encryptedBundle }));
    expect(refused).toMatchObject({ httpStatus: 400, field });
    expect(refused.message).not.toContain("7c7c");
  }
});

test("a target key expires after an hour, by the signer's clock", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const { root, userId } = organization;
    const key = generatePrivateKey("CURVE_SECP256K1");
    const by = rootOf(organization);
    const encryptedBundle = await encryptFor(organization, "private-key", key, by);
    const later = () => ({ timestampMs: String(Date.now() + server.clock.offsetMs) });
    const importKey = () => root.importPrivateKey({ userId, ...hot, encryptedBundle }, later());
    server.clock.offsetMs += 60 * 60_000;
    expect(await refusal(importKey())).toEqual(notOpen("expired at"));
    await root.initImportPrivateKey({ userId }, later());
    expect(await refusal(importKey())).toEqual(bundleError("cannot be decrypted"));
    expect((await root.listPrivateKeys()).privateKeys).toEqual([]);
  } finally {
    await server.stop();
  }
});

test("the same key is refused on its curve, also after an export", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const by = rootOf(organization);
  const importKey = async (key: Uint8Array, params: Partial<typeof hot> & object) => {
    const encryptedBundle = await encryptFor(organization, "private-key", key, by);
    return root.importPrivateKey({ userId, ...hot, ...params, encryptedBundle });
  };
  const key = generatePrivateKey("CURVE_SECP256K1");
  const { privateKeyId } = await importKey(key, {});
  const taken = (id: string) => ({
    httpStatus: 409,
    grpcCode: 6,
    code: "KEY_TAKEN",
    field,
    message: `private key with ID ${id} has already been imported in this organization, or was created in it`,
  });
  expect(await refusal(importKey(key, { privateKeyName: "again" }))).toEqual(taken(privateKeyId));
  // Its negative has the same Taproot address.
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const negative = (order - BigInt(`0x${encodeHex(key)}`)).toString(16).padStart(64, "0");
  expect(await refusal(importKey(decodeHex(negative), { privateKeyName: "negative" }))).toEqual(
    taken(privateKeyId),
  );

  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [{ ...hot, privateKeyName: "created", privateKeyTags: [] }],
  });
  const created = privateKeys[0]?.privateKeyId ?? "";
  const exported = await exportedKey(organization, (targetPublicKey) =>
    root.exportPrivateKey({ privateKeyId: created, targetPublicKey }),
  );
  const again = importKey(decodeHex(exported), { privateKeyName: "again" });
  expect(await refusal(again)).toEqual(taken(created));

  // Another organization knows nothing of it.
  const other = await newOrganization(organization.server);
  const encryptedBundle = await encryptFor(other, "private-key", key, rootOf(other));
  await other.root.importPrivateKey({ userId: other.userId, ...hot, encryptedBundle });
});

test("the key of an account can be imported too, and signs as a private key from then on", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { addresses } = await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  const [address = ""] = addresses;
  const key = await exportedKey(organization, (targetPublicKey) =>
    root.exportWalletAccount({ address, targetPublicKey }),
  );
  const by = rootOf(organization);
  const encryptedBundle = await encryptFor(organization, "private-key", decodeHex(key), by);
  const imported = await root.importPrivateKey({ userId, ...hot, encryptedBundle });
  expect(imported.addresses).toEqual([{ format: "ADDRESS_FORMAT_ETHEREUM", address }]);
  const grace = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", grace, "private_key.imported");
  await grace.client.signRawPayload({
    signWith: address,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
});

test("a wallet or key that was exported and deleted can be imported again", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [{ ...hot, privateKeyTags: [] }],
  });
  const privateKeyId = privateKeys[0]?.privateKeyId ?? "";
  const key = await exportedKey(organization, (targetPublicKey) =>
    root.exportPrivateKey({ privateKeyId, targetPublicKey }),
  );
  await root.deletePrivateKeys({ privateKeyIds: [privateKeyId] });
  const by = rootOf(organization);
  const encryptedBundle = await encryptFor(organization, "private-key", decodeHex(key), by);
  const again = await root.importPrivateKey({ userId, ...hot, encryptedBundle });
  expect(again.addresses).toEqual(privateKeys[0]?.addresses);

  const made = await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  const { mnemonic } = await exportMnemonic(organization, { walletId: made.walletId });
  await root.deleteWallets({ walletIds: [made.walletId] });
  const accounts = [ethereumAccount];
  const restored = await importMnemonic(organization, mnemonic, { walletName: "w", accounts });
  expect(restored.addresses).toEqual(made.addresses);
});

test("an import for another user is refused, with any bundle", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", grace, "activity.action == 'IMPORT'");
  const key = generatePrivateKey("CURVE_SECP256K1");
  const encryptedBundle = await encryptFor(organization, "private-key", key, grace);
  const { root, userId } = organization;
  const stolen = root.importPrivateKey({ userId: grace.userId, ...hot, encryptedBundle });
  expect(await refusal(stolen)).toMatchObject({
    httpStatus: 403,
    code: "REQUEST_NOT_AUTHORIZED",
    field: "parameters.userId",
  });
  const renamed = root.importPrivateKey({ userId, ...hot, encryptedBundle });
  expect(await refusal(renamed)).toEqual(notOpen("there is no target key"));
  await grace.client.importPrivateKey({ userId: grace.userId, ...hot, encryptedBundle });
});

test("an import that waits is decided by the target key of that moment", async () => {
  const organization = await newQuorum();
  const { root, second, userId, server } = organization;
  const openImport = async () => {
    const { fingerprint } = await startWaiting(root, "init_import_private_key", {
      type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
      parameters: { userId },
    });
    const { activity } = await second.client.approveActivity({ fingerprint });
    return activity.result.initImportPrivateKeyResult?.importBundle ?? "";
  };
  const encrypt = (importBundle: string) =>
    encryptPrivateKeyToBundle({
      privateKey: encodeHex(generatePrivateKey("CURVE_SECP256K1")),
      importBundle,
      organizationId: organization.organizationId,
      userId,
      signerPublicKey: signerPublicKeyOf(server),
    });
  const start = (encryptedBundle: string, privateKeyName = "hot") =>
    startWaiting(root, "import_private_key", {
      type,
      parameters: { userId, ...hot, privateKeyName, encryptedBundle },
    });

  const replaced = await start(encrypt(await openImport()));
  const importBundle = await openImport();
  const approve = ({ fingerprint }: { fingerprint: string }) =>
    second.client.approveActivity({ fingerprint });
  expect(await refusal(approve(replaced))).toMatchObject({
    code: "BUNDLE_INVALID",
    message: expect.stringContaining("cannot be decrypted"),
  });

  // The key of the moment was not used up, and it imports once.
  const encryptedBundle = encrypt(importBundle);
  const waiting = await start(encryptedBundle);
  const rival = await start(encryptedBundle, "rival");
  const { activity } = await approve(waiting);
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await refusal(approve(rival))).toMatchObject({ code: "IMPORT_NOT_OPEN" });
  expect((await root.listPrivateKeys()).privateKeys).toHaveLength(1);
});

test("bad parameters are refused by field, all at once", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  await root.createPrivateKeys({ privateKeys: [{ ...hot, privateKeyTags: [] }] });
  const cases: [object, string, string, unknown][] = [
    [{ privateKeyName: "" }, "FIELD_INVALID", "parameters.privateKeyName", expect.anything()],
    [{ curve: "CURVE_X" }, "FIELD_INVALID", "parameters.curve", expect.anything()],
    [
      { addressFormats: ["ADDRESS_FORMAT_SOLANA"] },
      "FIELD_INVALID",
      "parameters.addressFormats[0]",
      expect.stringContaining("needs CURVE_ED25519"),
    ],
    [{ encryptedBundle: {} }, "FIELD_INVALID", field, expect.stringContaining("an object")],
  ];
  const good = { userId, ...hot, privateKeyName: "new", encryptedBundle: "{}" };
  for (const [change, code, at, message] of cases) {
    const parameters = { ...good, ...change };
    const refused = await refusal(submit(root, "import_private_key", { type, parameters }));
    expect(refused).toEqual(badRequest(code, at, message));
  }
  const parameters = { ...good, privateKeyName: "hot", addressFormats: ["ADDRESS_FORMAT_SUI"] };
  const several = await refusal(submit(root, "import_private_key", { type, parameters }));
  expect(several).toMatchObject({ code: "NAME_TAKEN", field: "parameters.privateKeyName" });
  for (const part of ["already exists", "needs CURVE_ED25519", "import not open"]) {
    expect(several.message).toContain(part);
  }
});

test("users without permission are denied", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await rule(organization, "EFFECT_ALLOW", grace, "activity.kind == 'INIT_IMPORT_PRIVATE_KEY'");
  const key = generatePrivateKey("CURVE_SECP256K1");
  const encryptedBundle = await encryptFor(organization, "private-key", key, grace);
  await expectDenied(
    grace.client.importPrivateKey({ userId: grace.userId, ...hot, encryptedBundle }),
  );
  expect((await organization.root.listPrivateKeys()).privateKeys).toEqual([]);
});

test("another user's id does not hide what else is wrong", async () => {
  const organization = await newOrganization();
  const { userId } = await addUser(organization);
  const params = { userId, ...hot, curve: "CURVE_ED25519", encryptedBundle: "{}" } as const;
  const error = await errorOf(organization.root.importPrivateKey(params));
  expect(error.httpStatus).toBe(403);
  expect(error.details.map((detail) => detail.field)).toEqual([
    "parameters.userId",
    "parameters.addressFormats[0]",
    field,
  ]);
});
