import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readSecretFile } from "@keyhearth/outbound/state-file";
import { explainFileErrors, replaceFile } from "../directory/files.ts";

const FILE = "mailbox-token";

/**
 * Makes the token that opens the mailbox, and writes it beside the root API key for programs. Each start makes
 * another one, so a link from a terminal that somebody scrolls back in opens nothing later.
 */
export function makeMailboxToken(dataDirectory: string): string {
  const token = randomBytes(32).toString("base64url");
  const path = join(dataDirectory, FILE);
  explainFileErrors(dataDirectory, () => replaceFile(path, Buffer.from(`${token}\n`)));
  return token;
}

/** The token that the first worker of this start has made. */
export function readMailboxToken(dataDirectory: string): string {
  const path = join(dataDirectory, FILE);
  const text = explainFileErrors(dataDirectory, () => readSecretFile(path)).toString("utf8");
  return text.trimEnd();
}
