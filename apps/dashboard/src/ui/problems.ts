import {
  ActivityFailed,
  Cancelled,
  KeyhearthError,
  LimitExceeded,
  NotFound,
  PermissionDenied,
  PolicyDenied,
  RateLimited,
  SessionEnded,
  Unavailable,
} from "@keyhearth/sdk";

/** An error as people read it. */
export type Problem = {
  kind: "denied" | "failed";
  title: string;
  text: string;
  /** The page that explains it. */
  docsUrl: string | undefined;
};

export function problemOf(error: unknown): Problem {
  const text = textOf(error);
  const docsUrl = error instanceof KeyhearthError ? pageOf(error.docsUrl) : undefined;
  return {
    kind: error instanceof PermissionDenied ? "denied" : "failed",
    title: titleOf(error),
    text,
    docsUrl,
  };
}

function titleOf(error: unknown): string {
  if (error instanceof PolicyDenied) return "No policy allows this";
  if (error instanceof PermissionDenied) return "You may not do this";
  if (error instanceof NotFound) return "This does not exist";
  if (error instanceof SessionEnded) return "Your session has ended";
  if (error instanceof RateLimited) return "Too many requests";
  if (error instanceof LimitExceeded) return "A limit is reached";
  if (error instanceof Unavailable) return "The service cannot be reached";
  if (error instanceof ActivityFailed) return "It was allowed, and failed";
  if (error instanceof Cancelled) return "Stopped";
  return "That did not work";
}

/** The service's own words where there are some: the SDK's message adds the page, which is a link here. */
function textOf(error: unknown): string {
  if (!(error instanceof KeyhearthError)) {
    return "Something in this page failed. Reload it; if it fails again, tell your operator what you did.";
  }
  const said = error.serviceMessage ?? error.message.replace(/ See https?:\/\/\S+$/, "");
  return sentence(said);
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?:]$/.test(whole) ? whole : `${whole}.`;
}

function pageOf(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//.test(url) ? url : undefined;
}
