import { randomBytes, randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { explainFileErrors, writeNew } from "../directory/files.ts";

const FILE = "mailbox-token";

/**
 * Makes the token that opens the mailbox, and writes it beside the root API key for programs. Each start makes
 * another one, so a link from a terminal that somebody scrolls back in opens nothing later.
 */
export function makeMailboxToken(dataDirectory: string): string {
  const token = randomBytes(32).toString("base64url");
  const path = join(dataDirectory, FILE);
  const draft = `${path}.${randomUUID()}`;
  explainFileErrors(dataDirectory, () => {
    writeNew(draft, Buffer.from(`${token}\n`));
    // Replaces the file of the last start, and a link instead of what it leads to.
    renameSync(draft, path);
  });
  return token;
}
