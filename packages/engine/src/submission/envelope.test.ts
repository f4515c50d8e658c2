import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWallet } from "../activities/create-wallet.ts";
import { signRawPayload } from "../activities/sign-raw-payload.ts";
import { ApiError } from "../errors.ts";
import { parseFields } from "../fields/parse.ts";
import {
  assertLive,
  type Envelope,
  parseEnvelope,
  parseParameters,
  versionOf,
} from "./envelope.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

const envelope = {
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  timestampMs: "1767225600000",
  organizationId,
  parameters: { walletName: "w" },
};

function refusalOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, field, message } = error;
    return { code, reason, field, message };
  }
  throw new Error("it was accepted");
}

function invalidArgument(reason: string, field: string | undefined, message: unknown) {
  return { code: "INVALID_ARGUMENT", reason, field, message };
}

describe("the envelope", () => {
  test("is read, and unknown members are ignored", () => {
    const body = JSON.stringify({ ...envelope, clientVersion: "1", extra: { deep: [1] } });
    expect(parseEnvelope(body)).toEqual({
      ...envelope,
      timestampMs: 1767225600000,
      generateAppProofs: false,
    });
    expect(parseEnvelope(JSON.stringify({ ...envelope, generateAppProofs: true }))).toMatchObject({
      generateAppProofs: true,
    });
  });

  test("is one JSON object that parsers cannot read differently", () => {
    const bodies = [
      "",
      "{",
      "[]",
      "null",
      '"text"',
      "7",
      JSON.stringify(envelope).replace("{", '{"type":"ACTIVITY_TYPE_CREATE_USERS",'),
      JSON.stringify(envelope).replace('{"walletName"', '{"walletName":"v","walletName"'),
      JSON.stringify(envelope).replace('"walletName"', '"__proto__":{"a":1},"walletName"'),
      JSON.stringify(envelope).replace('"w"', '"\\ud800"'),
    ];
    for (const body of bodies) {
      expect(refusalOf(() => parseEnvelope(body))).toEqual(
        invalidArgument(
          "BAD_REQUEST_BODY",
          undefined,
          expect.stringMatching(/^bad request body: /),
        ),
      );
    }
  });

  test("names the member that is wrong", () => {
    const cases: [object, string, string, string][] = [
      [{ organizationId: "x" }, "ORGANIZATION_ID_MALFORMED", "organizationId", "got `x`"],
      [{ organizationId: undefined }, "ORGANIZATION_ID_MALFORMED", "organizationId", "got nothing"],
      [
        { organizationId: organizationId.toUpperCase() },
        "ORGANIZATION_ID_MALFORMED",
        "organizationId",
        "malformed organization ID provided",
      ],
      [{ type: undefined }, "BAD_REQUEST_BODY", "type", "missing field `type`"],
      [{ type: "" }, "BAD_REQUEST_BODY", "type", "missing field `type`"],
      [{ type: 7 }, "BAD_REQUEST_BODY", "type", "missing field `type`"],
      [{ timestampMs: 1767225600000 }, "BAD_REQUEST_BODY", "timestampMs", "must be a string"],
      [{ timestampMs: "1e3" }, "BAD_REQUEST_BODY", "timestampMs", "got `1e3`"],
      [{ timestampMs: "-1" }, "BAD_REQUEST_BODY", "timestampMs", "got `-1`"],
      [{ timestampMs: "9".repeat(17) }, "BAD_REQUEST_BODY", "timestampMs", "decimal milliseconds"],
      [{ parameters: undefined }, "BAD_REQUEST_BODY", "parameters", "got nothing"],
      [{ parameters: null }, "BAD_REQUEST_BODY", "parameters", "must be an object"],
      [{ parameters: [1, 2] }, "BAD_REQUEST_BODY", "parameters", "got a list of 2"],
    ];
    for (const [change, reason, field, part] of cases) {
      const body = JSON.stringify({ ...envelope, ...change });
      const message = expect.stringContaining(part);
      expect(refusalOf(() => parseEnvelope(body))).toEqual(invalidArgument(reason, field, message));
    }
  });

  test("quotes the given value, but shortened", () => {
    const body = JSON.stringify({ ...envelope, organizationId: "a".repeat(1_000_000) });
    expect(refusalOf(() => parseEnvelope(body)).message.length).toBeLessThan(300);
  });

  test("any text is either read or refused", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        expect(refusalOf(() => parseEnvelope(body)).code).toBe("INVALID_ARGUMENT");
      }),
    );
  });
});

describe("the age of a request", () => {
  const nowMs = 1_767_225_600_000;
  const at = (timestampMs: number): Envelope => ({
    ...parseEnvelope(JSON.stringify(envelope)),
    timestampMs,
  });

  /** A signer that had worked at these times before its clock was set back. */
  const signer = (...spent: number[]) => {
    const used: number[] = [];
    const isSpent = (ms: number) => spent.includes(ms);
    const time = { peek: () => nowMs, jumps: () => 0, isSpent, use: (ms: number) => used.push(ms) };
    return { time, used };
  };

  test("is less than an hour, and the timestamp may be five minutes ahead", () => {
    for (const ms of [nowMs, nowMs - 3_599_999, nowMs + 300_000]) {
      expect(() => assertLive(at(ms), signer(), nowMs)).not.toThrow();
    }
    for (const ms of [0, nowMs - 3_600_000, nowMs + 300_001]) {
      expect(refusalOf(() => assertLive(at(ms), signer(), nowMs))).toEqual(
        invalidArgument("TIMESTAMP_OUT_OF_RANGE", "timestampMs", expect.any(String)),
      );
    }
  });

  test("is not one at which the signer had worked before its clock was set back", () => {
    const core = signer(nowMs - 1);
    expect(refusalOf(() => assertLive(at(nowMs - 1), core, nowMs)).message).toContain(
      "before its clock was set back",
    );
    assertLive(at(nowMs), core, nowMs);
    expect(() => assertLive(at(nowMs - 3_600_000), core, nowMs)).toThrow("3600 s old");
    // Only what is accepted is remembered.
    expect(core.used).toEqual([nowMs]);
  });

  test("in another unit is recognized, and the message shows it in milliseconds", () => {
    const refused = (ms: number) => refusalOf(() => assertLive(at(ms), signer(), nowMs));
    for (const lateMs of [0, 7_200_000, -600_000]) {
      const then = nowMs - lateMs;
      expect(refused(then / 1000)).toEqual(
        invalidArgument(
          "TIMESTAMP_OUT_OF_RANGE",
          "timestampMs",
          `\`timestampMs\` is \`${then / 1000}\`, which is a time in seconds: send it in milliseconds, such as \`${then}\``,
        ),
      );
    }
    expect(refused(nowMs * 1000).message).toContain(`microseconds: send it in milliseconds`);
    expect(refused(nowMs / 1000 - 90_000).message).toContain("check this machine's clock");
  });

  test("is shown in seconds", () => {
    expect(refusalOf(() => assertLive(at(nowMs - 7_200_000), signer(), nowMs)).message).toContain(
      "7200 s old",
    );
    expect(refusalOf(() => assertLive(at(nowMs + 600_000), signer(), nowMs)).message).toContain(
      "600 s in the future",
    );
  });
});

describe("the version", () => {
  test("is one of the endpoint, not a member that every object has", () => {
    expect(versionOf(createWallet, "ACTIVITY_TYPE_CREATE_WALLET").resultKey).toBe(
      "createWalletResult",
    );
    const wrong = ["ACTIVITY_TYPE_CREATE_WALLETS", "toString", "constructor", "__proto__"];
    for (const type of wrong) {
      const message = `\`type\` is \`${type}\`, which is not an activity of /public/v1/submit/create_wallet; it accepts ACTIVITY_TYPE_CREATE_WALLET`;
      expect(refusalOf(() => versionOf(createWallet, type))).toEqual(
        invalidArgument("ACTIVITY_TYPE_INVALID", "type", message),
      );
    }
  });
});

describe("parameters", () => {
  const version = versionOf(createWallet, "ACTIVITY_TYPE_CREATE_WALLET");
  const parse = (parameters: Record<string, unknown>) => parseParameters(version, parameters);

  test("an explicit null means unset, at any depth", () => {
    const account = {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    };
    expect(parse({ walletName: "w", accounts: null, mnemonicLength: null })).toEqual({
      walletName: "w",
      accounts: [],
    });
    expect(parse({ walletName: "w", accounts: [{ ...account, extra: null }] })).toEqual({
      walletName: "w",
      accounts: [account],
    });
    expect(refusalOf(() => parse({ walletName: null }))).toEqual(
      invalidArgument(
        "FIELD_INVALID",
        "parameters.walletName",
        "invalid request body: missing field `parameters.walletName`; expected a string",
      ),
    );
  });

  test("unknown fields are refused by name, including members that every object has", () => {
    const names = ["colour", "toString", "constructor", "hasOwnProperty"];
    for (const name of names) {
      expect(refusalOf(() => parse({ walletName: "w", [name]: 1 }))).toEqual(
        invalidArgument(
          "FIELD_UNKNOWN",
          `parameters.${name}`,
          `invalid request body: unknown field \`${name}\` in \`parameters\`; accepted: walletName, accounts, mnemonicLength`,
        ),
      );
    }
    expect(refusalOf(() => parse({ walletName: "w", accounts: [{ a: 1, b: 2 }] })).field).toMatch(
      /^parameters\.accounts\[0\]/,
    );
  });

  test("a wrong type names the field and shows the value", () => {
    const cases: [Record<string, unknown>, string, string][] = [
      [{ walletName: 7 }, "parameters.walletName", "is `7`"],
      [{ walletName: ["a"] }, "parameters.walletName", "is a list of 1"],
      [{ walletName: "w", accounts: "none" }, "parameters.accounts", "is `none`"],
      [{ walletName: "w", mnemonicLength: "12" }, "parameters.mnemonicLength", "is `12`"],
    ];
    for (const [parameters, field, part] of cases) {
      expect(refusalOf(() => parse(parameters))).toEqual(
        invalidArgument("FIELD_INVALID", field, expect.stringContaining(part)),
      );
    }
  });

  test("an enumeration lists what it accepts", () => {
    const version = versionOf(signRawPayload, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2");
    const parameters = {
      signWith: "0x00",
      payload: "00",
      encoding: "HEX",
      hashFunction: "HASH_FUNCTION_SHA256",
    };
    expect(refusalOf(() => parseFields(version.intent, parameters, "parameters"))).toEqual(
      invalidArgument(
        "FIELD_INVALID",
        "parameters.encoding",
        "invalid payload encoding: `parameters.encoding` is `HEX`; accepted: PAYLOAD_ENCODING_HEXADECIMAL, PAYLOAD_ENCODING_TEXT_UTF8, PAYLOAD_ENCODING_EIP712, PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
      ),
    );
  });

  test("any parameters are either parsed or refused", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (parameters) => {
        expect(refusalOf(() => parse(parameters)).code).toBe("INVALID_ARGUMENT");
      }),
    );
  });
});
