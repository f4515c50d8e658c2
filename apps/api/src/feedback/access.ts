import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readSecretFile } from "@keyhearth/outbound/state-file";
import { explainFileErrors, isRecord, parseJson, replaceJson } from "../directory/files.ts";
import type { FeedbackFilter } from "../store/page-feedback.ts";

/** Where the running service shows feedback, and the token that opens it. */
export type FeedbackAccess = { url: string; token: string };

const FILE = "feedback-access";

/**
 * Makes the token with which `npm run feedback` asks the service that has the embedded database open, and writes it into
 * the data directory. Each start makes another one.
 */
export function makeFeedbackAccess(dataDirectory: string, port: number): FeedbackAccess {
  const access = {
    url: `http://127.0.0.1:${port}/feedback/answers`,
    token: randomBytes(32).toString("base64url"),
  };
  const path = join(dataDirectory, FILE);
  explainFileErrors(dataDirectory, () => replaceJson(path, access));
  return access;
}

/** What the last start wrote, if a service may be running. */
export function readFeedbackAccess(dataDirectory: string): FeedbackAccess | null {
  let text: string;
  try {
    text = readSecretFile(join(dataDirectory, FILE)).toString("utf8");
  } catch {
    return null;
  }
  const found = parseJson(text);
  if (!isRecord(found)) return null;
  const { url, token } = found;
  return typeof url === "string" && typeof token === "string" ? { url, token } : null;
}

/** The filter as the query string of an address. */
export function queryOf({ page, fromMs, beforeMs }: FeedbackFilter): string {
  const query = new URLSearchParams({ from: String(fromMs), before: String(beforeMs) });
  if (page !== null) query.set("page", page);
  return query.toString();
}
