import { plain } from "./output.ts";

/** What decided, in words. A service may be newer than this command. */
export function byWhom(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : plain(reason);
}

const REASONS = {
  rootQuorum: "the root quorum",
  policies: "the policies",
  ownCredentials: "the user's right to change their own credentials",
  default: "no policy: nothing allows it",
} as const;
