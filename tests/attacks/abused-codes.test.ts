import { newKey } from "@keyhearth/api/testing";
import { codeOf, encryptCode } from "@keyhearth/engine/otps.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import {
  type Ask,
  type Attacked,
  ask,
  bytesOf,
  newVictim,
  perform,
  type Reply,
  resultOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Somebody guesses codes, or asks for codes to learn whose contacts are known here.

const known = "ada@example.com";

let server: Attacked;
let victim: Victim;

beforeAll(async () => {
  server = await startAttackedServer();
  victim = await newVictim(server);
  await perform(server, victim, setFeature("FEATURE_NAME_OTP_EMAIL_AUTH"));
  await perform(server, victim, {
    endpoint: "update_user",
    type: "ACTIVITY_TYPE_UPDATE_USER",
    parameters: { userId: victim.people[0].userId, userEmail: known },
  });
});

afterAll(() => server?.stop());

const sendCode = (contact: string): Ask => ({
  endpoint: "init_otp",
  type: "ACTIVITY_TYPE_INIT_OTP_V3",
  parameters: {
    otpType: "OTP_TYPE_EMAIL",
    contact,
    appName: "Example",
    otpLength: 6,
    alphanumeric: false,
  },
});

const tryCode = (otpId: string, bundle: string, code: string): Ask => ({
  endpoint: "verify_otp",
  type: "ACTIVITY_TYPE_VERIFY_OTP_V2",
  parameters: { otpId, encryptedOtpBundle: encryptCode(code, bundle, newKey().publicKey) },
});

async function newCode() {
  const reply = await perform(server, victim, sendCode(known));
  const { otpId, otpEncryptionTargetBundle } = resultOf(reply, "initOtpResultV2");
  const id = String(otpId);
  const code = await codeOf(server, victim.organizationId, id);
  return { otpId: id, bundle: String(otpEncryptionTargetBundle), code };
}

test("many guesses at once lock the code, and then the right one is refused", async () => {
  const { otpId, bundle, code } = await newCode();
  const guesses = Array.from({ length: 24 }, (_, i) => String(i).padStart(6, "9"));
  const replies = await Promise.all(
    guesses
      .filter((guess) => guess !== code)
      .map((guess) => ask(server, victim, tryCode(otpId, bundle, guess))),
  );
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 400, activity: undefined });
    expect(reply.message).toMatch(/OTP/);
  }
  const late = await ask(server, victim, tryCode(otpId, bundle, code));
  expect(late).toMatchObject({ status: 400, activity: undefined });
});

test("one right code among many at once is used once", async () => {
  const { otpId, bundle, code } = await newCode();
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => ask(server, victim, tryCode(otpId, bundle, code))),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a request to verify a code gives nothing to somebody who sends its bytes again", async () => {
  const { otpId, bundle, code } = await newCode();
  const body = bytesOf(server, victim.organizationId, tryCode(otpId, bundle, code));
  const [{ key }] = victim.people;
  const first = await send(server, "verify_otp", body, stampOf(key, body));
  expect(first).toMatchObject({ status: 200 });
  const stranger = await send(server, "verify_otp", body, stampOf(newKey(), body));
  expect(stranger).toMatchObject({ status: 401, activity: undefined });
  const forged = await send(server, "verify_otp", body, stampOf(key, `${body} `));
  expect(forged).toMatchObject({ status: 401, activity: undefined });
});

/** What an answer says, without what is new in each. */
function shapeOf({ status, message, reason, activity }: Reply): string {
  const result = Object.entries(activity?.result ?? {}).map(([key, value]) => [
    key,
    Object.keys(value),
  ]);
  return JSON.stringify({ status, message, reason, of: activity?.status, result });
}

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

test("a contact that a user has and one that nobody has get the same answer in the same time", async () => {
  const samples = isLong ? 200 : 20;
  const shapes = new Set<string>();
  const measure = async () => {
    const times: Record<string, number[]> = { known: [], unknown: [] };
    for (let i = 0; i < 2 * samples; i++) {
      // In turns, so that both meet the same noise.
      const isKnown = i % 2 === 0;
      const what = sendCode(isKnown ? known : `nobody.${i}@example.com`);
      const startedAt = performance.now();
      const reply = await ask(server, victim, what);
      times[isKnown ? "known" : "unknown"]?.push(performance.now() - startedAt);
      shapes.add(shapeOf(reply));
    }
    const [one, other] = [medianOf(times.known ?? []), medianOf(times.unknown ?? [])];
    return Math.abs(one - other) / Math.max(one, other);
  };
  let difference = await measure();
  // A busy machine spoils a measurement, but not each time in the same way.
  for (let i = 0; isLong && i < 5 && difference > 0.05; i++) difference = await measure();
  expect([...shapes]).toHaveLength(1);
  if (isLong) expect(difference).toBeLessThanOrEqual(0.05);
}, 300_000);
