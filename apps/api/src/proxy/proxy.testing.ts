import { randomBytes, randomUUID } from "node:crypto";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { TEST_AUDIENCE } from "@keyhearth/engine/oidc.testing";
import { codeOf, encryptCode, signLogin, tokenIdOf } from "@keyhearth/engine/otps.testing";
import { signupSignature } from "@keyhearth/engine/verification-tokens.testing";
import * as z from "zod";
import type { Host } from "../host/host.ts";
import {
  appOf,
  newKey,
  newOrganization,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { calls, publicKeyCall } from "./calls.ts";
import { commonErrors } from "./define.ts";
import { createProxyKeys } from "./key.ts";
import { createProxy } from "./proxy.ts";

// A parent with a login proxy, and what pages send to it.

export const PAGE = "https://app.example.com";

const keys = createProxyKeys(decodeHex(randomBytes(32).toString("hex")));

type Options = Partial<Omit<Parameters<typeof createProxy>[0], "host" | "keys">>;

export type Sent = { status: number; body: Record<string, unknown>; headers: Headers };

type From = { origin?: string | null; configuration?: string; headers?: Record<string, string> };

export type ProxyFamily = TestOrganization & {
  /** As the page of the application calls it. */
  call(name: string, body?: unknown, from?: From): Promise<Sent>;
};

const settings = {
  appName: "Example",
  origins: [PAGE],
  methods: ["email", "sms", "passkey", "wallet"],
  oauthClientIds: { example: TEST_AUDIENCE },
};

export async function newProxyFamily(
  server?: TestServer,
  more: object = {},
  options: Options = {},
): Promise<ProxyFamily> {
  const family = await newOrganization(server);
  await switchOn(family, more);
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const) {
    await family.root.setOrganizationFeature({ name });
  }
  return { ...family, call: callerOf(family, options) };
}

export async function switchOn({ root, organizationId }: TestOrganization, more: object = {}) {
  const publicKey = keys.publicKeyOf(organizationId);
  const value = JSON.stringify({ ...settings, publicKey, ...more });
  await root.setOrganizationFeature({ name: "FEATURE_NAME_AUTH_PROXY", value });
}

/** The key with which the proxy stamps for the organization is in this process alone. */
export function stampAsProxy(organizationId: string, body: Uint8Array): string {
  return keys.stamp(organizationId, body);
}

/** In-memory `fetch` of a page, or of a native app, which sends no origin: the whole app, with a login proxy. */
export function fetchOfPage({ server: { host } }: TestOrganization, origin: string | null = PAGE) {
  const app = appOf(host, { proxy: proxyOf(host) });
  return async (url: string, init: RequestInit = {}) =>
    app.request(url, { ...init, headers: { ...init.headers, ...(origin && { Origin: origin }) } });
}

export function callerOf(
  { server: { host }, organizationId }: TestOrganization,
  options: Options = {},
) {
  const app = appOf(host, { proxy: proxyOf(host, options) });
  return async (
    name: string,
    body?: unknown,
    { origin = PAGE, configuration = organizationId, headers = {} }: From = {},
  ): Promise<Sent> => {
    const response = await app.request(`http://keyhearth.test/proxy/v1/${name}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Auth-Proxy-Config-ID": configuration,
        ...(origin !== null && { Origin: origin }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    checkDescribed(name, response.status, answer);
    return { status: response.status, body: answer, headers: response.headers };
  };
}

/** What the reference says of a call: the fields of its answer, and the codes that it can be refused for. */
function checkDescribed(name: string, status: number, answer: Record<string, unknown>) {
  const call = [...calls, publicKeyCall].find((each) => each.name === name);
  if (!call) return;
  if (status === 200) z.strictObject(call.answers.shape).parse(answer);
  const [detail] = Array.isArray(answer.details) ? answer.details : [];
  const known: readonly string[] = [...commonErrors, ...call.errors];
  if (detail && !known.includes(detail.code)) {
    throw new Error(`the reference of ${name} does not name ${detail.code}: ${answer.message}`);
  }
}

/** Without limits, and whoever calls is at one address, unless they are given. */
export function proxyOf(host: Host, options: Options = {}): ReturnType<typeof createProxy> {
  const clientAddress = () => "192.0.2.1";
  return createProxy({ host, keys, captcha: null, clientAddress, family: null, ...options });
}

export const newEmail = () => `ada-${randomUUID()}@example.com`;

/** Reads the code that the proxy sent, and verifies it for the key. */
export async function verify(
  family: ProxyFamily,
  { contact, key, captcha }: { contact: string; key: TestKey; captcha?: string },
): Promise<string> {
  const otpType = contact.startsWith("+") ? "OTP_TYPE_SMS" : "OTP_TYPE_EMAIL";
  const from = captcha === undefined ? {} : { headers: { "X-Captcha-Token": captcha } };
  const { body } = await family.call("otp_init_v2", { otpType, contact }, from);
  const otpId = String(body.otpId);
  const code = await codeOf(family.server, family.organizationId, otpId);
  const bundle = String(body.otpEncryptionTargetBundle);
  const encryptedOtpBundle = encryptCode(code, bundle, key.publicKey);
  const verified = await family.call("otp_verify_v2", { otpId, encryptedOtpBundle });
  if (verified.status !== 200) throw new Error(JSON.stringify(verified.body));
  return String(verified.body.verificationToken);
}

/** What somebody sends who signs up with a verified email address. */
export function signUpOf(contact: string, verificationToken: string, key: TestKey) {
  const signed = { apiKeys: [], authenticators: [], oauthProviders: [], email: contact };
  return {
    userName: "Ada",
    userEmail: contact,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    verificationToken,
    clientSignature: signupSignature(key, tokenIdOf(verificationToken), signed),
  };
}

export function loginOf(verificationToken: string, key: TestKey) {
  const { publicKey } = key;
  const clientSignature = signLogin(key, verificationToken, publicKey);
  return { verificationToken, publicKey, clientSignature };
}

/** Signs up by a code, and says who it is. */
export async function signUpByCode(family: ProxyFamily, contact = newEmail()) {
  const key = newKey();
  const token = await verify(family, { contact, key });
  const { status, body } = await family.call("signup_v2", signUpOf(contact, token, key));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { contact, key, token, organizationId: String(body.organizationId) };
}
