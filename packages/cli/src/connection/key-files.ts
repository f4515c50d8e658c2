import { createECDH, timingSafeEqual } from "node:crypto";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { NodeApiKeyStamper } from "@keyhearth/sdk/server";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { ID, membersOf } from "./members.ts";
import { ownFolder, readPrivate, readPublic, writePrivate } from "./own-folder.ts";

// Key files: the one of a service's first start, and those that `generate api-key` and the released command write.

type Env = Readonly<Record<string, string | undefined>>;

/** A key that stamps. The private half stays in the stamper. */
export type LoadedKey = {
  readonly path: string;
  readonly stamper: NodeApiKeyStamper;
  readonly publicKey: string;
  /** The organization that the file names, if it names exactly one. */
  readonly organizationId: string | undefined;
  /** The user in that organization, if the file names one. */
  readonly userId: string | undefined;
};

export type Curve = "p256" | "secp256k1" | "ed25519";

const schemes = {
  p256: "SIGNATURE_SCHEME_TK_API_P256",
  secp256k1: "SIGNATURE_SCHEME_TK_API_SECP256K1",
  ed25519: "SIGNATURE_SCHEME_TK_API_ED25519",
} as const;

/** The path of a key file, which may be given by the name of a key in the folder of keys. */
export async function findKeyFile(given: string, env: Env): Promise<string> {
  refuseKey(given);
  const path = given.startsWith("~/") ? join(homedir(), given.slice(2)) : given;
  const isName = /^[\w-][\w.-]*$/.test(path) && !/\.(json|private|public)$/.test(path);
  const candidates = isName
    ? [join(ownFolder(env), "keys", `${path}.private`), resolve(path)]
    : [resolve(path), resolve(`${path}.private`)];
  for (const candidate of candidates) if (await isFile(candidate)) return candidate;
  const where = plain(candidates[0] ?? given);
  throw new InputError(
    `there is no key file ${where}: give the path of one, such as data/root-api-key.json of a service, or make a key with \`keyhearth generate api-key NAME\``,
  );
}

/** Loads a key file. Throws `InputError` with what is wrong, and never shows a part of the file. */
export async function loadKey(path: string): Promise<LoadedKey> {
  if (path.endsWith(".public")) {
    throw new InputError(
      `${plain(path)} is the public half, which stamps nothing: give ${plain(path.replace(/public$/, "private"))}`,
    );
  }
  const text = (await readPrivate(path, "the key file")).trim();
  return text.startsWith("{") ? loadServiceKey(path, text) : loadPair(path, text);
}

export type NewKey = { readonly publicKey: string; readonly privateKey: string };

/** Writes the three files of a key. A key of that name stays as it is, and is an error. */
export async function writeKey(
  folder: string,
  name: string,
  { publicKey, privateText, meta }: { publicKey: string; privateText: string; meta: object },
): Promise<string> {
  const file = (end: string) => join(folder, `${name}.${end}`);
  if (!(await writePrivate(file("private"), privateText, { isNew: true }))) {
    throw new InputError(
      `there is a key ${name} already, in ${plain(file("private"))}: choose another name`,
    );
  }
  await writePrivate(file("public"), publicKey);
  await writePrivate(file("meta"), `${JSON.stringify({ ...meta, public_key: publicKey })}\n`);
  return file("private");
}

/** The private half as the file has it. */
export function privateTextOf({ publicKey, privateKey }: NewKey, curve: Curve): string {
  return curve === "ed25519" ? `${privateKey}${publicKey}:ed25519` : `${privateKey}:${curve}`;
}

export function schemeOf(curve: Curve): (typeof schemes)[Curve] {
  return schemes[curve];
}

const FIELDS = {
  organizationId: ID,
  apiPublicKey: /^0[23][0-9a-f]{64}$/,
  apiPrivateKey: /^[0-9a-f]{64}$/,
};

function loadServiceKey(path: string, text: string): LoadedKey {
  const file = membersOf(text);
  const wrong = Object.entries(FIELDS).filter(([field, form]) => {
    const value = file?.[field];
    return typeof value !== "string" || !form.test(value);
  });
  if (!file || wrong.length > 0) {
    const names = wrong.map(([field]) => field).join(", ");
    throw new InputError(
      `${plain(path)} is not a key file of a service: ${names} missing or malformed. Its first start writes one, data/root-api-key.json`,
    );
  }
  const [organizationId, apiPublicKey, apiPrivateKey] = [
    String(file.organizationId),
    String(file.apiPublicKey),
    String(file.apiPrivateKey),
  ];
  const stamper = new NodeApiKeyStamper({ apiPublicKey, apiPrivateKey });
  // The files of a service name the user. One that does not is still a key.
  const { userId } = file;
  const isNamed = typeof userId === "string" && FIELDS.organizationId.test(userId);
  return {
    ...{ path, stamper, publicKey: apiPublicKey, organizationId },
    userId: isNamed ? userId : undefined,
  };
}

async function loadPair(path: string, text: string): Promise<LoadedKey> {
  const [, hex = "", curve = "p256"] =
    /^([0-9a-f]{64}|[0-9a-f]{128})(?::(\w+))?$/i.exec(text) ?? [];
  if (!isCurve(curve) || hex.length !== (curve === "ed25519" ? 128 : 64)) {
    throw new InputError(
      `${plain(path)} is not a key file: it must be root-api-key.json of a service, or the private key in hex, followed by :p256, :secp256k1 or :ed25519`,
    );
  }
  const privateKey = hex.slice(0, 64).toLowerCase();
  const publicKey = publicHalf(curve, hex.toLowerCase());
  const base = join(dirname(path), basename(path).replace(/\.private$/, ""));
  await checkPublicFile(`${base}.public`, publicKey);
  try {
    const stamper = new NodeApiKeyStamper({
      apiPublicKey: publicKey,
      apiPrivateKey: privateKey,
      scheme: schemes[curve],
    });
    const organizationId = await organizationIn(`${base}.meta`);
    return { path, stamper, publicKey, organizationId, userId: undefined };
  } catch {
    // The cause could show the key.
    throw new InputError(`${plain(path)} is not a key on ${curve}`);
  }
}

function publicHalf(curve: Curve, hex: string): string {
  if (curve === "ed25519") return hex.slice(64);
  const pair = createECDH(curve === "p256" ? "prime256v1" : "secp256k1");
  try {
    pair.setPrivateKey(hex, "hex");
    return pair.getPublicKey("hex", "compressed");
  } catch {
    throw new InputError(`the key file has no private key on ${curve}`);
  }
}

/** A public half of another key would name a key that nobody registered. */
async function checkPublicFile(path: string, publicKey: string): Promise<void> {
  if (!(await isFile(path))) return;
  const stated = Buffer.from((await readPublic(path, "the public key")).trim().toLowerCase());
  const own = Buffer.from(publicKey);
  if (stated.length === own.length && timingSafeEqual(stated, own)) return;
  throw new InputError(
    `${plain(path)} is not the public half of the key beside it: restore both files from one copy`,
  );
}

/** The organization that a key's metadata name. They may name several or none. */
async function organizationIn(path: string): Promise<string | undefined> {
  if (!(await isFile(path))) return undefined;
  const meta = membersOf(await readPrivate(path, "the metadata of the key"));
  const named = Array.isArray(meta?.organizations) ? meta.organizations : [];
  const [organizationId] = named;
  const isOne = named.length === 1 && typeof organizationId === "string";
  return isOne && FIELDS.organizationId.test(organizationId) ? organizationId : undefined;
}

/** A key on the command line is in the history of the shell by now. The message does not repeat it. */
function refuseKey(given: string): void {
  if (!/^(0x)?[0-9a-f]{64,128}(:\w+)?$/i.test(given)) return;
  throw new InputError(
    "this is a key, and not the path of a key file: other users and the history of this shell may have seen it, so replace it if it is the private half",
  );
}

function isCurve(text: string): text is Curve {
  return Object.hasOwn(schemes, text);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** The path as a profile keeps it, which must mean the same in every folder. */
export function absolute(path: string): string {
  return isAbsolute(path) ? path : resolve(path);
}
