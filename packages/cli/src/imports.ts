import { type Curve, type KeyhearthClient, Unverified } from "@keyhearth/sdk";
import { encryptPrivateKeyToBundle, encryptWalletToBundle } from "@keyhearth/sdk/crypto";
import { findAddressFormat } from "./addresses.ts";
import type { Given, Surroundings } from "./command.ts";
import { newAccounts } from "./commands/wallets-create.ts";
import type { Connected } from "./connection/connect.ts";
import { shellWord } from "./connection/own-folder.ts";
import { readSecret } from "./connection/secrets.ts";
import { InputError } from "./errors.ts";
import { labelOf, readText } from "./json.ts";
import { plain } from "./output.ts";

// The steps of an import. The second needs no network.

export type Kind = "wallet" | "private-key";

/** What the first step gives to the second. It has no secret in it. */
export type Begun = {
  readonly kind: Kind;
  readonly organizationId: string;
  readonly userId: string;
  readonly signerPublicKey: string;
  readonly importBundle: string;
};

/** What the second step gives to the third: the secret, which only the signer can read. */
export type Encrypted = {
  readonly kind: Kind;
  readonly organizationId: string;
  readonly userId: string;
  readonly encryptedBundle: string;
};

/**
 * Asks for a key of the signer to encrypt to. Whose import it is comes from the profile or the key file: a host that
 * could name another organization or user would have the secret encrypted for them.
 */
export async function beginImport(
  connected: Connected,
  { kind, signerPublicKey }: { kind: Kind; signerPublicKey: string },
): Promise<Begun> {
  const { client, organizationId } = connected;
  const userId = userOf(connected);
  const who = await client.whoami();
  if (who.organizationId !== organizationId || who.userId !== userId) {
    throw new Unverified(
      "the service says that this key is of another organization or user than the profile or the key file names, so nothing was imported: check with `keyhearth whoami` and with your operator",
      { code: "UNVERIFIED" },
    );
  }
  const { importBundle } =
    kind === "wallet"
      ? await client.initImportWallet({ userId })
      : await client.initImportPrivateKey({ userId });
  return { kind, organizationId, userId, signerPublicKey, importBundle };
}

function userOf({ userId, url, key, organizationId }: Connected): string {
  if (userId !== undefined) return userId;
  throw new InputError(
    `it is not known here whose key this is, so an import could not be checked: run \`keyhearth profile add NAME --url ${url} --key ${shellWord(plain(key.path))} --organization ${organizationId}\`, which asks and keeps it, and import with --profile NAME`,
  );
}

/** Encrypts the secret to the signer, after checking whose bundle it is. */
export async function encryptImport(
  begun: Begun,
  given: Given,
  surroundings: Surroundings,
): Promise<Encrypted> {
  const { kind, ...origin } = begun;
  const file = given.option("file");
  const what = kind === "wallet" ? "the words of the wallet" : "the private key";
  const secret = await readSecret(file, what, surroundings);
  const { organizationId, userId } = origin;
  if (kind === "wallet") {
    const mnemonic = secret.replace(/\s+/g, " ");
    const encryptedBundle = encryptWalletToBundle({ ...origin, mnemonic });
    return { kind, organizationId, userId, encryptedBundle };
  }
  const format = given.choice("format", ["hexadecimal", "solana"]);
  const encryptedBundle = encryptPrivateKeyToBundle({
    ...origin,
    privateKey: format === "hexadecimal" ? secret.replace(/^0x/i, "") : secret,
    keyFormat: format === "hexadecimal" ? "HEXADECIMAL" : "SOLANA",
  });
  return { kind, organizationId, userId, encryptedBundle };
}

/** Sends the encrypted secret, and answers with the addresses of what was imported. */
export async function finishImport(
  client: KeyhearthClient,
  { kind, userId, encryptedBundle }: Encrypted,
  given: Given,
): Promise<{ id: string; addresses: string[] }> {
  const formats = given.list("account");
  if (kind === "wallet") {
    const { walletId, addresses } = await client.importWallet({
      userId,
      walletName: given.word(0),
      encryptedBundle,
      accounts: newAccounts(formats),
    });
    return { id: walletId, addresses };
  }
  const entries = formats.map(findAddressFormat);
  const { privateKeyId, addresses } = await client.importPrivateKey({
    userId,
    privateKeyName: given.word(0),
    encryptedBundle,
    curve: curveOf(given, entries[0]?.curves[0]),
    addressFormats: entries.map(({ format }) => format),
  });
  return { id: privateKeyId, addresses: addresses.map(({ address = "" }) => address) };
}

/** A file of an earlier step, or standard input. */
export async function readStep<Step extends Begun | Encrypted>(
  file: string,
  members: readonly (keyof Step & string)[],
): Promise<Step> {
  let value: Record<string, unknown> = {};
  try {
    value = Object(JSON.parse(await readText(file)));
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
  }
  const isKind = value.kind === "wallet" || value.kind === "private-key";
  if (isKind && members.every((name) => typeof value[name] === "string")) return value as Step;
  throw new InputError(
    `${labelOf(file)} is not a file of the step before: it must have ${members.join(", ")}`,
  );
}

function curveOf(given: Given, usual: Curve | undefined): Curve {
  if (given.option("curve") === undefined && usual !== undefined) return usual;
  const curve = given.choice("curve", ["secp256k1", "p256", "ed25519"]);
  return ({ secp256k1: "CURVE_SECP256K1", p256: "CURVE_P256", ed25519: "CURVE_ED25519" } as const)[
    curve
  ];
}
