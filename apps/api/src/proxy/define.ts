import type * as z from "zod";
import type { Host } from "../host/host.ts";
import type { Captcha } from "./captcha.ts";
import type { Configuration } from "./configuration.ts";
import type { SubmitFor } from "./submit-for.ts";

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
  /** Counts a sign-up that proves no contact and no social login. Throws if the address has had too many. */
  countUnproven(): void;
  /** Has a provider asked about a code. Throws if the address sent too many wrong ones, or many codes wait for answers. */
  askCounted<T>(ask: () => Promise<T>): Promise<T>;
};

/** A call of the proxy: its name, its body and its answer. */
export type Call = {
  name: string;
  body: z.ZodObject;
  /** Whether a captcha comes first, if the settings ask for one. */
  isCaptcha: boolean;
  answer(tools: Tools, body: unknown): Promise<Record<string, unknown>>;
};

/** Ties the types of one call together. It adds nothing at run time. */
export function defineCall<Body extends z.ZodObject>(call: {
  name: string;
  body: Body;
  isCaptcha?: boolean;
  answer(tools: Tools, body: z.output<Body>): Promise<Record<string, unknown>>;
}): Call {
  // A call only ever gets a body that its own schema produced.
  return { isCaptcha: false, ...call } as unknown as Call;
}
