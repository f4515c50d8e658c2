import type { Reason } from "@keyhearth/engine/errors";
import type * as z from "zod";
import type { Host } from "../host/host.ts";
import type { Captcha } from "./captcha.ts";
import type { Configuration } from "./configuration.ts";
import type { SubmitFor } from "./submit-for.ts";
import type { Turns } from "./turns.ts";

/** What a call works with. */
export type Tools = {
  host: Host;
  configuration: Configuration;
  submitFor: SubmitFor;
  captcha: Captcha | null;
  /** Opaque text about whoever asks, whose codes count together. */
  visitor: string;
  /** Sends a code and counts it. Throws if the organization's proxy may send no more. */
  sendCounted<T>(channel: "email" | "sms", send: () => Promise<T>): Promise<T>;
  /** A sign-up that proves no contact and no social login. Each throws if the address has had too many, and `count` counts it. */
  unproven: { check(): void; count(): void };
  /** The sign-ups that are under way in this process, by their facts. */
  turns: Turns;
  /**
   * Takes a place of those who wait until the signer has the keys of an ID token's issuer. Returns how to give it back. Throws if
   * there is none.
   */
  takeIssuer(issuer: string): () => void;
  /** Takes a place of those who wait for somebody else. Returns how to give it back. Throws if there is none. */
  takeWaiting(): () => void;
  /** Has a provider asked about a code. Throws if the address sent too many wrong ones, or many codes wait for answers. */
  askCounted<T>(ask: () => Promise<T>): Promise<T>;
};

/** What the API reference says of a call. */
export type Described = {
  name: string;
  summary: string;
  description: string;
  body: z.ZodObject;
  answers: z.ZodObject;
  /** Of a body. */
  example: Record<string, unknown>;
  /** What it can be refused for, beside what every call can be refused for. */
  errors: readonly Reason[];
};

/** A call of the proxy. */
export type Call = Described & {
  /** Whether a captcha comes first, if the settings ask for one. */
  needsCaptcha(body: unknown): boolean;
  answer(tools: Tools, body: unknown): Promise<Record<string, unknown>>;
};

/** What every call can be refused for. */
export const commonErrors: readonly Reason[] = [
  "BAD_REQUEST_BODY",
  "BODY_TOO_LARGE",
  "FIELD_INVALID",
  "FIELD_UNKNOWN",
  "NOT_FOUND",
  "REQUEST_NOT_AUTHORIZED",
  "RATE_LIMITED",
];

/** What the core adds to a call that it decides about. */
export const errorsOfCore = ["POLICY_DENIED", "FEATURE_DISABLED", "CONFLICT"] as const;

/** Ties the types of one call together. It adds nothing at run time. */
export function defineCall<Body extends z.ZodObject>(
  call: Omit<Described, "body"> & {
    body: Body;
    needsCaptcha?(body: z.output<Body>): boolean;
    answer(tools: Tools, body: z.output<Body>): Promise<Record<string, unknown>>;
  },
): Call {
  // A call only ever gets a body that its own schema produced.
  return { needsCaptcha: () => false, ...call } as unknown as Call;
}
