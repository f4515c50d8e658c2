import { inspect } from "node:util";
import { isValidPrivateKey } from "@keyhearth/crypto/keys/keys";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import { addEpoch, createKeyring, currentEpoch, decodeKeyring, encodeKeyring } from "./keyring.ts";

test("a keyring is read as it was written", () => {
  const keyring = addEpoch(createKeyring(randomBytes), randomBytes);
  expect(decodeKeyring(encodeKeyring(keyring))).toEqual(keyring);
});

test("all keys of a new keyring differ, and those that sign are scalars", () => {
  const { epochs, quorumSeed, derivationKey, keys } = createKeyring(randomBytes);
  const symmetric = epochs.flatMap(({ macKey, sealKey }) => [macKey, sealKey]);
  const all = [...symmetric, quorumSeed, derivationKey, ...Object.values(keys)];
  expect(new Set(all.map((key) => Buffer.from(key).toString("hex"))).size).toBe(all.length);
  for (const key of Object.values(keys)) expect(isValidPrivateKey("CURVE_P256", key)).toBe(true);
});

test("bytes that are not a scalar are drawn again", () => {
  const draws = [new Uint8Array(32), new Uint8Array(32).fill(255)];
  let drawn = 0;
  const random = (length: number) => {
    drawn += 1;
    // The fifth and sixth draws are for the first signing key: zero, then more than the order.
    return (drawn >= 5 && draws.shift()) || randomBytes(length);
  };
  const { keys } = createKeyring(random);
  expect(draws).toEqual([]);
  for (const key of Object.values(keys)) expect(isValidPrivateKey("CURVE_P256", key)).toBe(true);
});

test("a new epoch becomes current, and does not change older epochs or other keys", () => {
  const keyring = createKeyring(randomBytes);
  const next = addEpoch(keyring, randomBytes);
  expect(currentEpoch(keyring).epoch).toBe(1);
  expect(currentEpoch(next).epoch).toBe(2);
  expect(next).toEqual({ ...keyring, epochs: [...keyring.epochs, currentEpoch(next)] });
  expect(currentEpoch(next).macKey).not.toEqual(currentEpoch(keyring).macKey);
});

test("text of another version, or with an invalid key, is refused", () => {
  const text = encodeKeyring(createKeyring(randomBytes));
  expect(() => decodeKeyring(text.replace('"version":1', '"version":2'))).toThrow(
    "keyring of an unknown version",
  );
  const value = JSON.parse(text);
  value.keys.bundle = "00".repeat(32);
  expect(() => decodeKeyring(JSON.stringify(value))).toThrow("keyring holds an invalid key");
  delete value.keys.bundle;
  expect(() => decodeKeyring(JSON.stringify(value))).toThrow();
});

test("a keyring shows no key in JSON and inspections, however it was made", () => {
  const keyring = createKeyring(randomBytes);
  const decoded = decodeKeyring(encodeKeyring(keyring));
  const added = addEpoch(keyring, randomBytes);
  const hidden = "[secret]";
  const epochOf = (epoch: number) => ({ epoch, macKey: hidden, sealKey: hidden });
  const shown = {
    epochs: [epochOf(1)],
    quorumSeed: hidden,
    derivationKey: hidden,
    keys: {
      bundle: hidden,
      session: hidden,
      verification: hidden,
      receipt: hidden,
      webhook: hidden,
    },
  };
  for (const each of [keyring, { ...keyring }, decoded]) {
    expect(JSON.parse(JSON.stringify(each))).toEqual(shown);
    expect(inspect(each, { depth: 9 })).not.toMatch(/Uint8Array|HeldBytes/);
  }
  expect(JSON.parse(JSON.stringify(added)).epochs).toEqual([epochOf(1), epochOf(2)]);
});
