import { join } from "node:path";
import { RefusedFileError, readSecretFile } from "@keyhearth/outbound/state-file";
import { StartError } from "../config/start-error.ts";
import {
  explainFileErrors,
  isRecord,
  makeDirectory,
  parseJson,
  syncDirectory,
  writeNew,
} from "../directory/files.ts";
import { keyOf, type NewKey, newKey, type OwnedKey, submit } from "./submit.ts";

/** What `--demo` made, or what an earlier start made. */
export type Demo = { organizationId: string; address: string; keyFiles: string[] };

const PEOPLE = ["Ada", "Grace", "Alan"];

/** One Ethereum account, as the quickstart has it. */
const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
};

/** What Ada asks to sign: the hash of `hello`, which does nothing on any chain. */
const PAYLOAD = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/**
 * Makes an organization to look around in: three people of whom two have to approve, a wallet, and a signature that
 * waits for the second. It is asked for over HTTP with real stamps, like everything else.
 *
 * The keys and the time of the requests are on disk first, so a start that was interrupted sends the same bytes again and
 * gets the same organization.
 */
export async function makeDemo({
  url,
  rootKeyFile,
  dataDirectory,
}: {
  url: string;
  rootKeyFile: string | null;
  dataDirectory: string;
}): Promise<Demo> {
  const directory = join(dataDirectory, "demo");
  const path = join(directory, "demo.json");
  const made = readJson(path);
  if (isMade(made)) return { ...made, keyFiles: keyFilesOf(directory) };
  const root = rootKeyFile === null ? undefined : readJson(rootKeyFile);
  if (!isOwnedKey(root)) {
    throw new StartError(
      "--demo needs root-api-key.json in the data directory; put the file there, or start without --demo",
    );
  }

  const prepared = prepare(directory);
  const { subOrganizationId, address, userIds } = await found(url, root, prepared);
  const keys = prepared.keys.map((key, index) => ({
    organizationId: subOrganizationId,
    userId: userIds[index] ?? "",
    ...key,
  }));
  const [ada] = keys;
  if (!ada) throw new Error("the demo has nobody");
  await submit(url, ada, {
    path: "sign_raw_payload",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: prepared.timestampMs,
    parameters: {
      signWith: address,
      payload: PAYLOAD,
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  });

  const keyFiles = keyFilesOf(directory);
  explainFileErrors(dataDirectory, () => {
    for (const [index, file] of keyFiles.entries()) writeOnce(file, keys[index]);
    writeOnce(path, { organizationId: subOrganizationId, address });
    syncDirectory(directory);
  });
  return { organizationId: subOrganizationId, address, keyFiles };
}

type Prepared = { timestampMs: string; keys: NewKey[] };

/** The keys of the three, made once. */
function prepare(directory: string): Prepared {
  const path = join(directory, "prepared.json");
  const known = readJson(path);
  if (isPrepared(known)) return known;
  const keys = PEOPLE.map(() => newKey());
  const prepared = { timestampMs: String(Date.now()), keys };
  explainFileErrors(directory, () => {
    makeDirectory(directory);
    writeOnce(path, prepared);
    syncDirectory(directory);
  });
  return prepared;
}

async function found(url: string, root: OwnedKey, { timestampMs, keys }: Prepared) {
  const { subOrganizationId, rootUserIds, wallet } = await submit(url, root, {
    path: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    timestampMs,
    parameters: {
      subOrganizationName: "Demo",
      rootUsers: PEOPLE.map((userName, index) => ({
        userName,
        apiKeys: [
          {
            apiKeyName: "Demo key",
            publicKey: keys[index]?.apiPublicKey,
            curveType: "API_KEY_CURVE_P256",
          },
        ],
        authenticators: [],
        oauthProviders: [],
      })),
      rootQuorumThreshold: 2,
      wallet: { walletName: "Treasury", accounts: [ACCOUNT] },
    },
  });
  const [address] = isRecord(wallet) && Array.isArray(wallet.addresses) ? wallet.addresses : [];
  const userIds = Array.isArray(rootUserIds) ? rootUserIds.map(String) : [];
  return { subOrganizationId: String(subOrganizationId), address: String(address), userIds };
}

function keyFilesOf(directory: string): string[] {
  return PEOPLE.map((name) => join(directory, `${name.toLowerCase()}.json`));
}

/** A file that an interrupted start left is written again from the same values, so it is kept. */
function writeOnce(path: string, value: unknown) {
  if (readJson(path) === undefined)
    writeNew(path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
}

function readJson(path: string): unknown {
  try {
    return parseJson(readSecretFile(path).toString("utf8"));
  } catch (cause) {
    if (cause instanceof RefusedFileError) throw new StartError(cause.message, { cause });
    return undefined;
  }
}

function isMade(value: unknown): value is { organizationId: string; address: string } {
  return (
    isRecord(value) && typeof value.organizationId === "string" && typeof value.address === "string"
  );
}

function isOwnedKey(value: unknown): value is OwnedKey {
  return isRecord(value) && typeof value.organizationId === "string" && keyOf(value) !== undefined;
}

function isPrepared(value: unknown): value is Prepared {
  if (!isRecord(value) || typeof value.timestampMs !== "string") return false;
  const { keys } = value;
  return Array.isArray(keys) && keys.length === PEOPLE.length && keys.every((key) => keyOf(key));
}
