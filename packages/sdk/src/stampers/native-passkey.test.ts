import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { createAuthenticators, createWallet, whoami } from "../calls/generated/calls.ts";
import { Connection } from "../connection/connection.ts";
import {
  createNativePasskey,
  NativePasskeyStamper,
  type NativePasskeyStamperOptions,
  type PasskeyModule,
} from "./native-passkey.ts";
import { newPhone } from "./phone.testing.ts";

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

const rp = { id: "app.example.com", name: "Example" };
const user = { name: "ada@example.com" };

function connectionWith(stamper: NativePasskeyStamper) {
  const { organizationId, server } = organization;
  const baseUrl = "http://keyhearth.test";
  return new Connection({ baseUrl, organizationId, stamper, fetch: server.fetch });
}

const padded = (text: string) => Buffer.from(text, "base64url").toString("base64");

test.each([
  ["base64url", (text: string) => text],
  ["base64 with padding", padded],
])(
  "a new passkey of the phone is registered, and stamps, with answers in %s",
  async (_, base64) => {
    const phone = newPhone({ base64 });
    const { passkeys } = phone;
    const passkey = await createNativePasskey({ passkeys, rp, user, authenticatorName: "Phone" });
    expect(passkey.attestation.transports).toEqual([
      "AUTHENTICATOR_TRANSPORT_INTERNAL",
      "AUTHENTICATOR_TRANSPORT_HYBRID",
    ]);
    const { userId, root } = organization;
    await createAuthenticators(root, { userId, authenticators: [passkey] });
    const connection = connectionWith(new NativePasskeyStamper({ passkeys, rpId: rp.id }));
    expect((await whoami(connection)).userId).toBe(userId);
    const { walletId } = await createWallet(connection, { walletName: _, accounts: [] });
    expect(walletId).toMatch(/^[0-9a-f-]{36}$/);
    const { credentialId } = passkey.attestation;
    const named = new NativePasskeyStamper({
      passkeys,
      rpId: rp.id,
      allowCredentials: [credentialId],
      userVerification: "required",
      timeoutMs: 60_000,
    });
    expect((await whoami(connectionWith(named))).userId).toBe(userId);
    expect(phone.asked.at(-1)).toMatchObject({
      rpId: rp.id,
      timeout: 60_000,
      userVerification: "required",
      allowCredentials: [{ type: "public-key", id: credentialId }],
    });
  },
);

test("a creation asks for what the service takes, and for a passkey that needs no name", async () => {
  const phone = newPhone();
  const { passkeys } = phone;
  const excludeCredentials = ["AQID"];
  const passkey = await createNativePasskey({ passkeys, rp, user, excludeCredentials });
  const [creation] = phone.creations;
  expect(passkey.authenticatorName).toBe("ada@example.com");
  expect(creation).toEqual({
    challenge: passkey.challenge,
    rp,
    user: { id: expect.stringMatching(/^[\w-]{22}$/), ...user, displayName: user.name },
    pubKeyCredParams: [
      { type: "public-key", alg: -7 },
      { type: "public-key", alg: -257 },
    ],
    timeout: 300_000,
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    attestation: "none",
    excludeCredentials: [{ type: "public-key", id: "AQID" }],
  });
});

describe("what a module rejects with becomes one typed error:", () => {
  const expoError = (code: string, message: string) => Object.assign(new Error(message), { code });
  test.each<[string, unknown, string, string]>([
    ["a dismissal on Android", expoError("Passkey Get", "UserCancelled"), "Cancelled", "CANCELLED"],
    ["one on iOS", expoError("ERR_USER_CANCELLED", "1001"), "Cancelled", "CANCELLED"],
    ["one as an object", { error: "UserCancelled", message: "" }, "Cancelled", "CANCELLED"],
    ["no passkey", { error: "NoCredentials", message: "" }, "Cancelled", "CANCELLED"],
    ["a timeout", { error: "TimedOut", message: "" }, "Cancelled", "CANCELLED"],
    ["another prompt", expoError("Passkey Get", "Interrupted"), "Cancelled", "ABORTED"],
    ["a second passkey", { error: "CredentialAlreadyExists" }, "Conflict", "PASSKEY_EXISTS"],
    [
      "a domain without the app",
      { error: "BadConfiguration" },
      "InvalidCredential",
      "INVALID_CREDENTIAL",
    ],
    [
      "one on Android",
      expoError("Passkey Create", "NotConfigured"),
      "InvalidCredential",
      "INVALID_CREDENTIAL",
    ],
    ["an old phone", { error: "NotSupported" }, "Unsupported", "UNSUPPORTED"],
    ["no provider", { error: "NoCreateOption" }, "Unsupported", "UNSUPPORTED"],
    ["anything else", new Error("?"), "InvalidCredential", "INVALID_CREDENTIAL"],
    ["nothing", undefined, "InvalidCredential", "INVALID_CREDENTIAL"],
  ])("%s", async (_, cause, name, code) => {
    const passkeys: PasskeyModule = {
      get: () => Promise.reject(cause),
      create() {
        throw cause;
      },
    };
    const stamper = new NativePasskeyStamper({ passkeys, rpId: rp.id });
    const expected = { name, code, ...(cause === undefined ? {} : { cause }) };
    await expect(stamper.stamp("{}")).rejects.toMatchObject(expected);
    await expect(createNativePasskey({ passkeys, rp, user })).rejects.toMatchObject(expected);
  });
});

test("no answer is a dismissal", async () => {
  const passkeys = { get: async () => null, create: async () => null };
  const stamper = new NativePasskeyStamper({ passkeys, rpId: rp.id });
  await expect(stamper.stamp("{}")).rejects.toMatchObject({ name: "Cancelled" });
  await expect(createNativePasskey({ passkeys, rp, user })).rejects.toMatchObject({
    name: "Cancelled",
  });
});

test("a module that answers something else is named with what is missing", async () => {
  const response = { authenticatorData: "AQID", clientDataJSON: "", signature: "AQID" };
  const passkeys: PasskeyModule = { get: async () => ({ id: "AQID", response }) };
  const stamper = new NativePasskeyStamper({ passkeys, rpId: rp.id });
  await expect(stamper.stamp("{}")).rejects.toMatchObject({
    name: "UnexpectedAnswer",
    message: expect.stringContaining("response.clientDataJSON"),
  });
  // A native module is not checked by the compiler.
  const bare = { get: async () => ({}) } as unknown as PasskeyModule;
  await expect(
    new NativePasskeyStamper({ passkeys: bare, rpId: rp.id }).stamp("{}"),
  ).rejects.toMatchObject({ name: "UnexpectedAnswer" });
});

describe("options that cannot work are refused with their names, before any prompt:", () => {
  const passkeys = newPhone().passkeys;
  test.each<[object, string[]]>([
    [{}, ["passkeys", "rpId"]],
    [{ passkeys: {}, rpId: rp.id }, ["passkeys"]],
    [{ passkeys, rpId: "https://example.com" }, ["rpId"]],
    [{ passkeys, rpId: "" }, ["rpId"]],
    [{ passkeys, rpId: rp.id, allowCredentials: ["AQID", "AQ=="] }, ["allowCredentials[1]"]],
  ])("%#", (options, fields) => {
    // A program in plain JavaScript can pass anything.
    const make = () => new NativePasskeyStamper(options as NativePasskeyStamperOptions);
    const named = fields.map((field) => expect.objectContaining({ field }));
    expect(make).toThrow(expect.objectContaining({ name: "InvalidField", fields: named }));
  });

  test("and those of a creation", async () => {
    const wrong = { passkeys: { get: passkeys.get }, rp: { id: "a b" }, user: {} };
    await expect(createNativePasskey(wrong as never)).rejects.toMatchObject({
      name: "InvalidField",
      fields: ["passkeys", "rp.id", "rp.name", "user.name"].map((field) =>
        expect.objectContaining({ field }),
      ),
    });
  });
});
