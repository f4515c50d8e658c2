import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { hasPin, lineOf, newDoorKey, pinOf, readDoorKey, readLine } from "./door-key.ts";

function newKey() {
  const key = readDoorKey(newDoorKey());
  if (!key) throw new Error("no key");
  return key;
}

test("a key has a certificate that OpenSSL reads: signed by itself, without a name and an end", () => {
  const { certificate, privateKey, pin } = newKey();
  const read = new X509Certificate(certificate);
  expect(read.verify(read.publicKey)).toBe(true);
  expect([read.subject, read.issuer]).toEqual([undefined, undefined]);
  expect([read.validFrom, read.validTo]).toEqual([
    "Jan  1 00:00:00 1970 GMT",
    "Dec 31 23:59:59 9999 GMT",
  ]);
  expect(pinOf(read.publicKey.export({ type: "spki", format: "der" }))).toEqual(pin);
  expect(readDoorKey(privateKey)).toEqual({ certificate, privateKey, pin });
  expect(newKey().pin).not.toEqual(pin);
});

test("a key of another kind, or half of one, is none", () => {
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const ed448 = generateKeyPairSync("ed448").privateKey;
  for (const key of [other, ed448]) {
    expect(readDoorKey(key.export({ type: "pkcs8", format: "pem" }).toString())).toBe(null);
  }
  for (const text of ["", "secret", newDoorKey().slice(0, 80)])
    expect(readDoorKey(text)).toBe(null);
});

test("a line names a side and a key, and only its exact text does", () => {
  const { pin } = newKey();
  const line = lineOf("api", pin);
  expect(line).toMatch(/^keyhearth-api:[\w-]{43}$/);
  expect(readLine("api", line)).toEqual(pin);
  // The bits of the last character that belong to no byte.
  const last = String.fromCharCode(line.charCodeAt(line.length - 1) + 1);
  for (const other of [
    line.replace("api", "signer"),
    line.slice(0, -1),
    `${line}A`,
    `${line.slice(0, -1)}${last}`,
    `${line}:`,
    ` ${line}`,
    line.replace("keyhearth-api:", ""),
    "",
  ]) {
    expect(readLine("api", other), other).toBe(null);
  }
});

test("a pin is found among others, and never a similar one", () => {
  const [first, second] = [newKey().pin, newKey().pin];
  expect(hasPin([first, second], first)).toBe(true);
  expect(hasPin([first, second], second)).toBe(true);
  const similar = Buffer.from(first);
  similar[31] = (similar[31] ?? 0) ^ 1;
  expect(hasPin([first, second], similar)).toBe(false);
  expect(hasPin([], first)).toBe(false);
});
