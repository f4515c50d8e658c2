import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApiKeyStamp } from "@keyhearth/crypto/create-stamp";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys";
import { fromErrorMessage } from "@keyhearth/engine/errors";
import { FOUND_TYPE } from "@keyhearth/engine/records/activity";
import type { Host } from "../host.ts";
import { unitOf } from "../store/commit-unit.ts";
import { findRootOrganizationId } from "../store/organizations.ts";
import { confirmProposal } from "../submission/confirm.ts";

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
 */
export async function ensureRootOrganization(
  host: Host,
  dataDirectory: string,
): Promise<FirstStart> {
  const path = join(dataDirectory, "root-api-key.json");
  const prepared = `${path}.new`;
  const organizationId = await findRootOrganizationId(host.store.db);
  if (organizationId !== undefined) {
    if (existsSync(prepared) && readKeyFile(prepared).organizationId === organizationId) {
      renameSync(prepared, path);
    }
    return { organizationId, keyFile: existsSync(path) ? path : null, isNew: false };
  }

  const founding = await foundOrganization(host, {
    organizationName: "Root organization",
    rootUserName: "Root user",
    isRoot: true,
    beforeCommit: (file) => writeKeyFile(prepared, file),
  });
  if (founding) {
    renameSync(prepared, path);
    return { organizationId: founding.organizationId, keyFile: path, isNew: true };
  }
  // Another process was faster: its organization is the root, and the key is in its directory.
  rmSync(prepared);
  const winner = await findRootOrganizationId(host.store.db);
  if (winner === undefined) throw new Error("the root organization could not be founded");
  return { organizationId: winner, keyFile: null, isNew: false };
}

/** The organization does not exist yet: the signer derives its id. */
const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

/**
 * Founds a top-level organization with a new API key and returns that key. Returns null if the
 * database already has such an organization.
 */
export async function foundOrganization(
  host: Host,
  {
    organizationName,
    rootUserName,
    isRoot = false,
    beforeCommit = () => {},
  }: {
    organizationName: string;
    rootUserName: string;
    isRoot?: boolean;
    beforeCommit?: (file: RootKeyFile) => void;
  },
): Promise<RootKeyFile | null> {
  const privateKey = generatePrivateKey("CURVE_P256");
  const apiPublicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  const body = JSON.stringify({
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
  const value = createApiKeyStamp({ privateKey, scheme }, encodeUtf8(body));
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

  const unit = { ...unitOf(answer, null), isRoot };
  const userId = unit.lookups.find(({ kind }) => kind === "USERNAME")?.subjectId;
  if (userId === undefined) throw new Error("an organization without a user");
  const { organizationId } = answer;
  const file = { organizationId, userId, apiPublicKey, apiPrivateKey: encodeHex(privateKey) };
  beforeCommit(file);
  if (!(await host.committer.commit(unit))) return null;
  await confirmProposal(host, answer);
  return file;
}

function writeKeyFile(path: string, file: RootKeyFile) {
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
}

function readKeyFile(path: string): RootKeyFile {
  return JSON.parse(readFileSync(path, "utf8"));
}
