import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper, InvalidCredential, KeyhearthClient } from "@keyhearth/sdk";
import { type ApiKeyFile, readApiKeyFile } from "@keyhearth/sdk/server";
import type { Address } from "viem";

export type ApiKey = { apiPublicKey: string; apiPrivateKey: string };

/** What every member knows about the treasury. None of it is secret, but all of it is trusted. */
export type Treasury = {
  organizationId: string;
  address: Address;
  /** The members' public keys by their names: who stamped what does not depend on the service's word. */
  members: Record<string, string>;
};

/** A problem that the person at the keyboard can solve. */
export class UserError extends Error {}

export const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";

/** The key of the organization's first user, which `npm start` of Keyhearth wrote. */
export const rootKeyFile =
  process.env.KEYHEARTH_ROOT_KEY ??
  fileURLToPath(new URL("../../data/root-api-key.json", import.meta.url));

export const directory =
  process.env.TREASURY_DATA ?? fileURLToPath(new URL("data", import.meta.url));

export const isSetUp = () => existsSync(fileOf("treasury"));

export const readTreasury = () => read<Treasury>(fileOf("treasury"));

/** The client of one member, with the key that would be on this member's own machine. */
export async function clientOf(member: string): Promise<KeyhearthClient> {
  const { organizationId, members } = await readTreasury();
  if (!Object.hasOwn(members, member)) {
    const names = Object.keys(members).join(", ");
    throw new UserError(`There is no member ${member}. Set --as to one of: ${names}`);
  }
  const stamper = new ApiKeyStamper(await read<ApiKey>(fileOf(member)));
  return new KeyhearthClient({ baseUrl, organizationId, stamper });
}

export async function readRootKey(): Promise<ApiKeyFile> {
  try {
    return await readApiKeyFile(rootKeyFile);
  } catch (cause) {
    if (!(cause instanceof InvalidCredential)) throw cause;
    throw new UserError(`${cause.message}: set KEYHEARTH_ROOT_KEY to it.`, { cause });
  }
}

/** Reads a file whose form is that of the program that wrote it. */
async function read<Content>(file: string): Promise<Content> {
  if (!existsSync(file)) throw new UserError(`There is no ${file}. Run: npm run treasury -- setup`);
  return JSON.parse(await readFile(file, "utf8"));
}

export async function write(name: string, content: object): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(fileOf(name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

function fileOf(name: string): string {
  return join(directory, `${name}.json`);
}
