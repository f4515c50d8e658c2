import {
  concatBytes,
  decodeBase64Url,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { describe, expect, test } from "vitest";
import { mapOf, packedSelf } from "../attestation-statements.testing.ts";
import type { AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { newToken } from "../oidc.testing.ts";
import {
  type Ceremony,
  cborBytes,
  cborText,
  newPasskey,
  type StatementMaker,
  testOrigin,
} from "../passkey.testing.ts";
import {
  statementName,
  tokenName,
  UnverifiedStatements,
  type Verdicts,
} from "./attestation-statements.ts";
import { createRegistrations } from "./passkey-registrations.ts";

const nowMs = Date.now();
const noVerdicts: Verdicts = new Map();

function registrationsFor(verdicts = noVerdicts, origins: readonly string[] = ["*"]) {
  return createRegistrations({ origins: () => origins, verdicts, nowMs });
}

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}

function refusalAt(field: string, why: string) {
  return expect.objectContaining({
    code: "INVALID_ARGUMENT",
    reason: "FIELD_INVALID",
    field,
    message: `invalid authenticator attestation: \`${field}\`: ${why}`,
  });
}

function changed(
  params: AuthenticatorParamsV2,
  change: Partial<AuthenticatorParamsV2["attestation"]>,
): AuthenticatorParamsV2 {
  return { ...params, attestation: { ...params.attestation, ...change } };
}

/** As many bytes at the end of the text are replaced. */
function withEnd(text: string, end: Uint8Array): string {
  const bytes = decodeBase64Url(text);
  bytes.set(end, bytes.length - end.length);
  return encodeBase64Url(bytes);
}

function clientDataOf(text: string): string {
  return encodeBase64Url(encodeUtf8(text));
}

const certificates =
  (count: number): StatementMaker =>
  () => ({
    format: "apple",
    statement: mapOf([
      ["x5c", concatBytes(Uint8Array.of(0x80 + count), ...Array(count).fill(Uint8Array.of(0x40)))],
    ]),
  });

describe("a passkey without a statement", () => {
  test("is read as its authenticator made it, and needs no verdict", () => {
    const { params, credentialId, coseKey, publicKey } = newPasskey();
    const transports = [
      "AUTHENTICATOR_TRANSPORT_USB" as const,
      "AUTHENTICATOR_TRANSPORT_INTERNAL" as const,
    ];
    const registrations = registrationsFor();
    const given = changed(params, { transports: [...transports, ...transports] });
    expect(registrations.read(given, "field")).toEqual({
      credentialId,
      credential: {
        publicKey: encodeBase64Url(coseKey),
        type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
      },
      keyName: encodeHex(publicKey),
      transports,
      attestationType: "none",
      aaguid: encodeBase64Url(new Uint8Array(16)),
    });
    registrations.assertVerified();
    registrations.assertTokensSeen();
  });

  test("may have a key of RSA", () => {
    const { params, credentialId } = newPasskey();
    const id = decodeBase64Url(credentialId);
    const rsa = concatBytes(
      Uint8Array.of(0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 1, 0),
      new Uint8Array(256).fill(0xab),
      Uint8Array.of(0x21, 0x43, 1, 0, 1),
    );
    const authData = concatBytes(
      new Uint8Array(32),
      Uint8Array.of(0x41, 0, 0, 0, 0),
      new Uint8Array(16),
      Uint8Array.of(0, id.length),
      id,
      rsa,
    );
    const parts = [cborText("fmt"), cborText("none"), cborText("attStmt"), Uint8Array.of(0xa0)];
    const object = [Uint8Array.of(0xa3), ...parts, cborText("authData"), cborBytes(authData)];
    const attestationObject = encodeBase64Url(concatBytes(...object));
    const { credential } = registrationsFor().read(changed(params, { attestationObject }), "field");
    expect(credential.publicKey).toBe(encodeBase64Url(rsa));
  });

  test("counts from a page that the organization allows", () => {
    const { params } = newPasskey();
    const read = (origins: string[]) => registrationsFor(noVerdicts, origins).read(params, "field");
    const at = "field.attestation.clientDataJson";
    const why =
      "its origin, or the relying party's id, is not one of this organization, which allows";
    expect(read([testOrigin]).credentialId).toBe(params.attestation.credentialId);
    expect(errorOf(() => read(["https://a.example", "https://b.example"]))).toEqual(
      refusalAt(at, `${why} https://a.example, https://b.example`),
    );
    expect(errorOf(() => read([]))).toEqual(refusalAt(at, `${why} none`));
  });
});

describe("an attestation is refused", () => {
  const good = newPasskey().params;
  const other = newPasskey().params;
  const { attestationObject } = good.attestation;
  const ceremony = (given: Ceremony) => newPasskey(given).params;
  const statement = (format: string, text = Uint8Array.of(0xa0)) =>
    newPasskey({ statement: () => ({ format, statement: text }) }).params;
  const text = (value: string) => changed(good, { clientDataJson: clientDataOf(value) });

  test.each<[string, AuthenticatorParamsV2, string, string]>([
    ["of rubbish instead of the client's data", text("{"), "clientDataJson", "it is malformed"],
    [
      "of another ceremony",
      ceremony({ type: "webauthn.get" }),
      "clientDataJson",
      "its `type` must be webauthn.create",
    ],
    [
      "for another challenge",
      { ...good, challenge: other.challenge },
      "clientDataJson",
      "its `challenge` must be the `challenge` given",
    ],
    [
      "of rubbish instead of the object",
      changed(good, { attestationObject: "AAAA" }),
      "attestationObject",
      "it is malformed",
    ],
    ["without a passkey", ceremony({ flags: 0x01 }), "attestationObject", "it is malformed"],
    [
      "of another passkey",
      changed(good, { credentialId: other.attestation.credentialId }),
      "credentialId",
      "the attestation object is that of another credential",
    ],
    [
      "without the user",
      ceremony({ flags: 0x40 }),
      "attestationObject",
      "the user was not present",
    ],
    [
      "with a key that is no point of its curve",
      changed(good, { attestationObject: withEnd(attestationObject, new Uint8Array(32)) }),
      "attestationObject",
      "it is malformed",
    ],
    [
      "in a format that nobody verifies",
      statement("android-safetynet"),
      "attestationObject",
      "its format is `android-safetynet`; accepted: none, packed, apple, android-key, fido-u2f, tpm",
    ],
    [
      "in a format with a long name",
      statement("f".repeat(90)),
      "attestationObject",
      `its format is \`${"f".repeat(80)}…\`; accepted: none, packed, apple, android-key, fido-u2f, tpm`,
    ],
    [
      "of no format with a statement",
      statement("none", Uint8Array.of(0xa1, 0x61, 0x61, 0)),
      "attestationObject",
      "the format `none` has an empty statement",
    ],
    [
      "with more than six certificates",
      newPasskey({ statement: certificates(7) }).params,
      "attestationObject",
      "its statement has 7 certificates, and may have 6",
    ],
  ])("%s", (_, params, part, why) => {
    const read = () => registrationsFor().read(params, "parameters.authenticators[2]");
    const at = `parameters.authenticators[2].attestation.${part}`;
    expect(errorOf(read)).toEqual(refusalAt(at, why));
  });

  test("but not with six certificates", () => {
    const { params } = newPasskey({ statement: certificates(6) });
    expect(registrationsFor().read(params, "field").attestationType).toBe("apple");
  });

  test("by the eleventh statement of a request, however often one is read", () => {
    const registrations = registrationsFor();
    const statements = Array.from(
      { length: 11 },
      () => newPasskey({ statement: packedSelf }).params,
    );
    const last = statements.pop() as AuthenticatorParamsV2;
    for (const params of [...statements, ...statements, newPasskey().params]) {
      registrations.read(params, "field");
    }
    const at = "field.attestation.attestationObject";
    expect(errorOf(() => registrations.read(last, "field"))).toEqual(
      refusalAt(
        at,
        "a request may have 10 attestation statements; register the passkey without one (attestation `none`), or in another request",
      ),
    );
  });
});

describe("a statement", () => {
  const [one, two] = [packedSelf, packedSelf].map(
    (statement) => newPasskey({ statement }).params,
  ) as [AuthenticatorParamsV2, AuthenticatorParamsV2];
  const [nameOfOne, nameOfTwo] = [one, two].map(({ attestation }) =>
    statementName(attestation),
  ) as [string, string];

  function readBoth(verdicts: Verdicts) {
    const registrations = registrationsFor(verdicts);
    registrations.read(one, "first");
    registrations.read(two, "second");
    // A handler reads it again, with the field that it knows.
    registrations.read(one, "authenticators[0]");
    return registrations;
  }

  test("that verifies is accepted", () => {
    const verdicts = new Map([
      [nameOfOne, true],
      [nameOfTwo, true],
    ]);
    expect(() => readBoth(verdicts).assertVerified()).not.toThrow();
  });

  test("without a verdict has to be verified first", () => {
    const asked = errorOf(() => readBoth(new Map([[nameOfOne, true]])).assertVerified());
    expect(asked).toBeInstanceOf(UnverifiedStatements);
    expect(asked).toMatchObject({ statements: [two.attestation], tokens: [] });
    expect(errorOf(() => readBoth(noVerdicts).assertVerified())).toMatchObject({
      statements: [one.attestation, two.attestation],
    });
  });

  test.each([
    ["does not verify", false],
    ["does not verify for a reason", "a reason"],
  ])("that %s is refused by the field where it was read first", (_, verdict) => {
    const verdicts = new Map<string, boolean | string>([
      [nameOfOne, verdict],
      [nameOfTwo, true],
    ]);
    const registrations = readBoth(verdicts);
    expect(errorOf(() => registrations.assertVerified())).toEqual(
      refusalAt("first.attestation.attestationObject", "its statement does not verify"),
    );
  });
});

describe("a token", () => {
  const token = newToken({ sub: "ada" });
  const claims = { issuer: "https://accounts.example.com", audience: "my-app", subject: "ada" };
  const knowing = (verdict: boolean | string) =>
    registrationsFor(new Map([[tokenName(token), verdict]]));
  const refusedToken = (why: string) =>
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      reason: "OIDC_TOKEN_INVALID",
      field: "field",
      message: `invalid OIDC token: \`field\`: ${why}`,
    });

  test("without a verdict is read, and has to be verified first", () => {
    const registrations = registrationsFor();
    expect(registrations.readToken(token, "field")).toMatchObject(claims);
    for (const assert of [registrations.assertTokensSeen, registrations.assertVerified]) {
      const asked = errorOf(assert);
      expect(asked).toBeInstanceOf(UnverifiedStatements);
      expect(asked).toMatchObject({ statements: [], tokens: [token] });
    }
  });

  test("that verifies is read", () => {
    const registrations = knowing(true);
    expect(registrations.readToken(token, "field")).toMatchObject(claims);
    expect(() => registrations.assertTokensSeen()).not.toThrow();
    expect(() => registrations.assertVerified()).not.toThrow();
  });

  test("that does not verify is refused, with the reason if there is one", () => {
    expect(errorOf(() => knowing(false).readToken(token, "field"))).toEqual(
      refusedToken("it does not verify"),
    );
    expect(errorOf(() => knowing("a reason").readToken(token, "field"))).toEqual(
      refusedToken("a reason"),
    );
  });

  test("is refused as the eleventh of a request, and not if it was one of the ten", () => {
    const registrations = registrationsFor();
    const tokens = Array.from({ length: 10 }, (_, index) => newToken({ sub: `user ${index}` }));
    for (const each of [...tokens, ...tokens]) registrations.readToken(each, "field");
    expect(errorOf(() => registrations.readToken(token, "field"))).toEqual(
      refusedToken("a request may have 10 tokens; send several requests"),
    );
  });
});
