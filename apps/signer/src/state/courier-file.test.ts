import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSigner, type Signer, trustCourierIn } from "../signer.ts";
import { openTrustedCourier, trustCourier } from "./courier-file.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-courier-file-"));
  path = join(directory, "courier");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const newKey = () =>
  encodeHex(
    uncompressedPublicKey(
      "CURVE_P256",
      publicKeyOf("CURVE_P256", generatePrivateKey("CURVE_P256")),
    ),
  );
const [one, two] = [newKey(), newKey()];

test("a new installation trusts the first courier that it is given, for good", () => {
  const courier = openTrustedCourier(path, () => true);
  expect(courier.key()).toBeNull();
  courier.offer(one);
  courier.offer(one);
  expect(encodeHex(courier.key() ?? new Uint8Array())).toBe(one);
  expect(() => courier.offer(two)).toThrow(
    `the signer seals messages to another courier; to have it trust this one, stop the signer, run \`npm run signer -- trust-courier ${two}\` on its machine, and start it again`,
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = openTrustedCourier(path, () => true);
  expect(encodeHex(again.key() ?? new Uint8Array())).toBe(one);
  expect(() => again.offer(two)).toThrow("another courier");
});

test("an installation that has been in use trusts no courier that its host names", () => {
  const courier = openTrustedCourier(path, () => false);
  expect(() => courier.offer(one)).toThrow(
    `the signer trusts no courier yet; to have it trust this one, stop the signer, run \`npm run signer -- trust-courier ${one}\``,
  );
  expect(courier.key()).toBeNull();
  trustCourier(path, one);
  expect(() => openTrustedCourier(path, () => false).offer(one)).not.toThrow();
});

test("a malformed key is neither trusted nor read", () => {
  const courier = openTrustedCourier(path, () => true);
  const notOnCurve = `04${"11".repeat(64)}`;
  for (const wrong of ["", "04", one.toUpperCase(), `02${one.slice(2, 66)}`, notOnCurve]) {
    expect(() => courier.offer(wrong)).toThrow("the courier's public key is malformed");
    expect(() => trustCourier(path, wrong)).toThrow("must be an uncompressed P-256 key");
  }
  expect(courier.key()).toBeNull();
  writeFileSync(path, "04");
  expect(() => openTrustedCourier(path, () => true)).toThrow(
    `the file ${path} does not hold the public key of a courier; restore it`,
  );
});

test("the operator's command works on a state that exists, and counts from the next start", () => {
  const stateDirectory = join(directory, "state");
  expect(() => trustCourierIn(stateDirectory, one)).toThrow("there is no root key and keyring");
  const log = () => {};
  const trusted = (signer: Signer) => {
    const answer = signer.handle({ call: "describe" });
    signer.close();
    return answer.kind === "description" && answer.courierPublicKey;
  };
  expect(trusted(openSigner({ stateDirectory, mayCreate: true, log }))).toBeNull();
  trustCourierIn(stateDirectory, one);
  trustCourierIn(stateDirectory, two);
  expect(readFileSync(join(stateDirectory, "courier"), "utf8")).toBe(`${two}\n`);
  expect(trusted(openSigner({ stateDirectory, mayCreate: false, log }))).toBe(two);
});
