import {
  type KeyhearthError,
  Unavailable,
  UnexpectedAnswer,
  Unverified,
} from "../errors/errors.ts";
import type { Activity } from "../generated/types.ts";
import { pageOf } from "./answers.ts";

// What to say of an answer that is not of the API. Loaded when there is one, so that pages stay small.

/** The error for an answer that does not come from the API: a page, or a proxy's error. */
export function unexpected(httpStatus: number, baseUrl: string): KeyhearthError {
  // No page: what answers is not the service, whose site has it.
  const facts = { code: "INVALID_RESPONSE", httpStatus };
  if (httpStatus >= 500) {
    return new Unavailable(
      `A server in front of ${baseUrl} answered ${httpStatus}, so the service is not reachable. Try again, or look at that server`,
      facts,
    );
  }
  return new UnexpectedAnswer(
    `${baseUrl} answered ${httpStatus}, but not with the JSON of the API. Set baseUrl to the address of the service, such as http://127.0.0.1:3000`,
    facts,
  );
}

/** The error for a redirect, which no stamped request follows. Browsers do not say where it leads. */
export function redirected(
  location: string | null,
  { baseUrl, path }: { baseUrl: string; path: string },
): UnexpectedAnswer {
  const target = location === null ? undefined : targetOf(location, { baseUrl, path });
  return new UnexpectedAnswer(
    `${baseUrl} redirects requests${target ? ` to ${target}` : ""}, and the SDK follows no redirect, because the service there would get the stamped request. If that is your service, set baseUrl to its own address`,
    { code: "REDIRECTED" },
  );
}

/** What `baseUrl` would have to be. Without user names and query strings, which may be secret. */
function targetOf(
  location: string,
  { baseUrl, path }: { baseUrl: string; path: string },
): string | undefined {
  try {
    const { origin, pathname } = new URL(location, baseUrl + path);
    const base = pathname.endsWith(path) ? pathname.slice(0, -path.length) : pathname;
    return /^https?:/.test(origin) ? (origin + base).slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}

/** The error for an activity that has no result of the kind that its submission has. */
export function withoutResult(
  activity: Activity,
  resultKey: string | undefined,
  baseUrl: string,
): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `Activity ${activity.id} completed without ${resultKey}, so this SDK does not know its result. Update the SDK or the service`,
    { code: "INVALID_RESPONSE", activity, docsUrl: pageOf(baseUrl, "INVALID_RESPONSE") },
  );
}

/** The error for an answer to a submission that shows no activity. */
export function withoutActivity(baseUrl: string): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `${baseUrl} answered a submission without an activity. Check that it is a Keyhearth service`,
    { code: "INVALID_RESPONSE", docsUrl: pageOf(baseUrl, "INVALID_RESPONSE") },
  );
}

/** The error for an answer about something that was not asked. */
export function notAsked(what: string, baseUrl: string): Unverified {
  return new Unverified(
    `${baseUrl} answered with ${what}. Do not use the answer, and check what runs at baseUrl`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
