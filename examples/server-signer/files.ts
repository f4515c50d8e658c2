import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper, InvalidCredential, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import type { Address } from "viem";

/** One API key and the user whom it belongs to. */
export type Member = {
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
};

/** What the server has: its own key, and the accounts that it pays from. */
export type ServerFile = Member & { smallAccount: Address; largeAccount: Address };

/** What the approver has: a key, and whose payouts to approve. */
export type ApproverFile = Member & { serverPublicKey: string; largeAccount: Address };

export const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";

/** The key of the organization's first user, which `npm start` of Keyhearth wrote. */
export const rootKeyFile =
  process.env.KEYHEARTH_ROOT_KEY ??
  fileURLToPath(new URL("../../data/root-api-key.json", import.meta.url));

export const directory =
  process.env.PAYOUTS_DATA ?? fileURLToPath(new URL("data", import.meta.url));

// In production, these two are on different machines.
export const serverFile = join(directory, "server.json");
export const approverFile = join(directory, "approver.json");
export const ledgerFile = join(directory, "ledger.json");

/** A file that has to be made first, or another one named. */
export class UnusableFile extends Error {}

export async function readRootKey(): Promise<Member> {
  try {
    return await readApiKeyFile(rootKeyFile);
  } catch (cause) {
    if (!(cause instanceof InvalidCredential)) throw cause;
    throw new UnusableFile(`${cause.message}: set KEYHEARTH_ROOT_KEY to it.`, { cause });
  }
}

/** The file's content, whose form is that of the program that wrote it. */
export async function read<Content>(file: string): Promise<Content> {
  if (!existsSync(file)) throw new UnusableFile(`There is no ${file}. Run: npm run setup`);
  return JSON.parse(await readFile(file, "utf8"));
}

/** Replaces a file as a whole, so that a crash leaves the old one or the new one. */
export async function write(file: string, content: object): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export function clientOf({ organizationId, apiPublicKey, apiPrivateKey }: Member): KeyhearthClient {
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  // Proves the ids that the policies are about. Your operator has the key.
  const { QUORUM_PUBLIC_KEY: quorumPublicKey } = process.env;
  return new KeyhearthClient({
    ...{ baseUrl, organizationId, stamper },
    ...(quorumPublicKey && { quorumPublicKey }),
  });
}
