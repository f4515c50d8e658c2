import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { encryptFor, exportedKey, importMnemonic, known, rootOf } from "../bundles.testing.ts";
import { addUser, ethereumAccount, expectDenied, first, refusal } from "../organization.testing.ts";
import { rule } from "../policies/policies.testing.ts";

// A key that is an account of a wallet and a private key, over HTTP with an honest host. The host that
// leaves one out is in `key-holder.test.ts`.

const compressed = { ...ethereumAccount, addressFormat: "ADDRESS_FORMAT_COMPRESSED" } as const;

function payment(signWith: string) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
}

test("once an account's key is imported, policies see the private key, until it is deleted", async () => {
  const organization = await newOrganization();
  const { root, server, userId } = organization;
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  const address = first(addresses);
  const byWallet = await addUser(organization, "by wallet");
  const byKey = await addUser(organization, "by key");
  await rule(organization, "EFFECT_ALLOW", byWallet, `wallet.id == '${walletId}'`);
  await rule(organization, "EFFECT_ALLOW", byKey, "private_key.label == 'imported'");
  const signed = await byWallet.client.signRawPayload(payment(address));
  await expectDenied(byKey.client.signRawPayload(payment(address)));

  const key = await exportedKey(organization, (targetPublicKey) =>
    root.exportWalletAccount({ address, targetPublicKey }),
  );
  const importer = rootOf(organization);
  const encryptedBundle = await encryptFor(
    organization,
    "private-key",
    decodeHex(key.replace(/^0x/, "")),
    importer,
  );
  const { privateKeyId } = await root.importPrivateKey({
    userId,
    privateKeyName: "imported",
    encryptedBundle,
    curve: "CURVE_SECP256K1",
    addressFormats: [],
  });
  const more = await root.createWalletAccounts({ walletId, accounts: [compressed] });

  const logged = server.events.length;
  for (const signWith of [address, first(more.addresses), privateKeyId]) {
    const { r, s, v } = await byKey.client.signRawPayload(payment(signWith));
    expect({ r, s, v }).toEqual({ r: signed.r, s: signed.s, v: signed.v });
    await expectDenied(byWallet.client.signRawPayload(payment(signWith)));
  }
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "cold",
    privateKeyIds: [privateKeyId],
  });
  await rule(organization, "EFFECT_DENY", byKey, `private_key.tags.contains('${privateKeyTagId}')`);
  const denied = await refusal(byKey.client.signRawPayload(payment(address)));
  expect(denied).toMatchObject({ code: "POLICY_DENIED" });

  await root.deletePrivateKeys({ privateKeyIds: [privateKeyId], deleteWithoutExport: true });
  await byWallet.client.signRawPayload(payment(address));
  await byWallet.client.signRawPayload(payment(first(more.addresses)));
  await expectDenied(byKey.client.signRawPayload(payment(address)));
  // An honest host never leaves out what the signer needs.
  const refused = server.events.slice(logged).filter(({ event }) => event === "refused");
  expect(refused).toEqual([]);
});

test("the negative of an account's key signs for its Taproot address, and for no other", async () => {
  const organization = await newOrganization();
  const { root, userId, server } = organization;
  const taproot = {
    ...ethereumAccount,
    addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR",
  } as const;
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [taproot, ethereumAccount, compressed],
  });
  const [address = "", ...others] = addresses;
  const signed = await root.signRawPayload(payment(address));
  const key = await exportedKey(organization, (targetPublicKey) =>
    root.exportWalletAccount({ address, targetPublicKey }),
  );
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const negative = (order - BigInt(`0x${key}`)).toString(16).padStart(64, "0");
  const importer = rootOf(organization);
  await root.importPrivateKey({
    userId,
    privateKeyName: "negative",
    encryptedBundle: await encryptFor(organization, "private-key", decodeHex(negative), importer),
    curve: "CURVE_SECP256K1",
    addressFormats: [],
  });
  const byWallet = await addUser(organization, "by wallet");
  const byKey = await addUser(organization, "by key");
  await rule(organization, "EFFECT_ALLOW", byWallet, `wallet.id == '${walletId}'`);
  await rule(organization, "EFFECT_ALLOW", byKey, "private_key.label == 'negative'");
  const logged = server.events.length;
  const { r, s, v } = await byKey.client.signRawPayload(payment(address));
  expect({ r, s, v }).toEqual({ r: signed.r, s: signed.s, v: signed.v });
  await expectDenied(byWallet.client.signRawPayload(payment(address)));
  for (const other of others) await byWallet.client.signRawPayload(payment(other));
  const refused = server.events.slice(logged).filter(({ event }) => event === "refused");
  expect(refused).toEqual([]);
});

test("a seed that was deleted can be imported again, and signs for the same address", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const accounts = [{ ...ethereumAccount, name: "payouts" }];
  const walletIds = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const { walletId } = await importMnemonic(organization, known.mnemonic, { accounts });
    walletIds.add(walletId);
    await root.signRawPayload(payment(known.ethereum));
    const again = importMnemonic(organization, known.mnemonic, { walletName: "again" });
    expect(await refusal(again)).toMatchObject({ code: "KEY_TAKEN" });
    await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
    expect(await refusal(root.signRawPayload(payment(known.ethereum)))).toMatchObject({
      httpStatus: 404,
    });
  }
  expect(walletIds.size).toBe(2);
});
