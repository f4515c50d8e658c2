import { linkSync, lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import { fromErrorMessage } from "@keyhearth/engine/errors";
import { activity as activityKind, FOUND_TYPE } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { RefusedFileError, readSecretFile } from "@keyhearth/outbound/state-file";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import {
  codeOf,
  explainFileErrors,
  isRecord,
  parseJson,
  syncDirectory,
  writeNew,
} from "../directory/files.ts";
import type { Host } from "../host/host.ts";
import { findRootOrganizationId, hasOrganizations } from "../store/organizations.ts";
import { commitFounding } from "../submission/commit-founding.ts";
import { rootMissing } from "./installation.ts";

/**
 * `data/root-api-key.json`: the key of the first root user. Anyone who has it controls the service.
 */
export type RootKeyFile = {
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
};

export type FirstStart = { organizationId: string; keyFile: string | null; isNew: boolean };

/**
 * Creates the root organization of a new database, with one root user and one P-256 API key. The key
 * is on disk before the organization exists, so that a crash in between locks nobody out.
 *
 * Invariant: a key file is never replaced. Each prepared key has a file of its own, named after its
 * organization, and the final name is taken only if it is free.
 */
export async function ensureRootOrganization(config: Config, host: Host): Promise<FirstStart> {
  const { dataDirectory } = config;
  const path = join(dataDirectory, "root-api-key.json");
  // Read first: another process takes the name only after its root was committed.
  const hadKeyFile = hasEntry(path);
  const isEmpty = !(await hasOrganizations(host.store.db));
  const organizationId = await findRootOrganizationId(host.store.db);
  if (organizationId !== undefined) {
    return { organizationId, keyFile: takeKeyFile(path, organizationId), isNew: false };
  }
  if (!isEmpty) throw rootMissing(config);
  if (hadKeyFile) throw keyOfAnother(path, "the database is empty");

  let prepared = "";
  const founding = await foundOrganization(host, {
    organizationName: "Root organization",
    rootUserName: "Root user",
    isRoot: true,
    beforeCommit(file) {
      prepared = preparedPath(path, file.organizationId);
      writeKeyFile(prepared, file);
    },
  });
  // Another process was faster: its organization is the root, and this one will never exist.
  if (!founding) rmSync(prepared);
  const rootId = await findRootOrganizationId(host.store.db);
  if (rootId === undefined) throw new Error("the root organization could not be founded");
  const isNew = founding?.organizationId === rootId;
  return { organizationId: rootId, keyFile: takeKeyFile(path, rootId), isNew };
}

/** The organization does not exist yet: the signer derives its id. */
const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

/**
 * Founds a top-level organization with a new API key, unless one is given, and returns that key. Returns null if the
 * database already has such an organization.
 */
export async function foundOrganization(
  host: Host,
  {
    organizationName,
    rootUserName,
    isRoot = false,
    privateKey = generatePrivateKey("CURVE_P256"),
    beforeCommit = () => {},
  }: {
    organizationName: string;
    rootUserName: string;
    isRoot?: boolean;
    privateKey?: Uint8Array;
    beforeCommit?: (file: RootKeyFile) => void;
  },
): Promise<RootKeyFile | null> {
  const apiPublicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  const text = JSON.stringify({
    type: FOUND_TYPE,
    timestampMs: String(host.now()),
    organizationId: NO_ORGANIZATION,
    parameters: {
      organizationName,
      rootUserName,
      apiKey: {
        apiKeyName: "Root API key",
        publicKey: apiPublicKey,
        curveType: "API_KEY_CURVE_P256",
      },
    },
  });
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const body = encodeUtf8(text);
  const value = createApiKeyStamp({ privateKey, scheme }, body);
  const answer = await host.askSigner({
    call: "submit",
    endpoint: "create_organization",
    body,
    stamp: { name: "X-Stamp", value },
    records: [],
    attachments: [],
  });
  if (answer.kind === "error") throw fromErrorMessage(answer.error);
  if (answer.kind !== "proposal") throw new Error(`unexpected answer: ${answer.kind}`);

  const { organizationId } = answer;
  const userId = userIdOf(answer);
  const file = { organizationId, userId, apiPublicKey, apiPrivateKey: encodeHex(privateKey) };
  beforeCommit(file);
  return (await commitFounding(host, answer, { isRoot })) && file;
}

function userIdOf({ attachments: [record] }: Proposal): string {
  const { result } = upcast(activityKind, readRecord(record ?? new Uint8Array()));
  return String(result?.userId);
}

function preparedPath(path: string, organizationId: string): string {
  return `${path}.${organizationId}`;
}

/** The key file of this root organization, from its prepared file if a start was killed; else null. */
function takeKeyFile(path: string, organizationId: string): string | null {
  if (hasEntry(path)) {
    if (readKeyFile(path)?.organizationId === organizationId) return path;
    throw keyOfAnother(path, `the root organization of the database is ${organizationId}`);
  }
  // Earlier versions prepared the key under one name for every organization.
  for (const prepared of [preparedPath(path, organizationId), `${path}.new`]) {
    if (readKeyFile(prepared)?.organizationId !== organizationId) continue;
    // Unlike a rename, neither of these replaces a file. Not every file system has links.
    try {
      linkSync(prepared, path);
    } catch (error) {
      // Another process that shares the directory was faster.
      if (codeOf(error) === "EEXIST") return takeKeyFile(path, organizationId);
      writeNew(path, readSecretFile(prepared));
    }
    syncDirectory(dirname(path));
    rmSync(prepared, { force: true });
    return path;
  }
  return null;
}

function keyOfAnother(path: string, but: string): StartError {
  const { organizationId } = readKeyFile(path) ?? {};
  const whose =
    organizationId === undefined ? "is not readable" : `is that of organization ${organizationId}`;
  return new StartError(
    `the root API key in ${path} ${whose}, but ${but}; set KEYHEARTH_DATA_DIR and DATABASE_URL so that they belong together, or move the file to a safe place`,
  );
}

function writeKeyFile(path: string, file: RootKeyFile) {
  explainFileErrors(dirname(path), () => {
    writeNew(path, encodeUtf8(`${JSON.stringify(file, null, 2)}\n`));
    syncDirectory(dirname(path));
  });
}

/** Undefined if there is no such file, or if it cannot be read as a key. */
function readKeyFile(path: string): RootKeyFile | undefined {
  let text: string;
  try {
    text = readSecretFile(path).toString("utf8");
  } catch (cause) {
    if (cause instanceof RefusedFileError) throw new StartError(cause.message, { cause });
    return undefined;
  }
  const file = parseJson(text);
  // `writeKeyFile` wrote it; a file that names an organization was written whole.
  return isRecord(file) && typeof file.organizationId === "string"
    ? (file as RootKeyFile)
    : undefined;
}

/** Also sees a link that leads nowhere. */
function hasEntry(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
