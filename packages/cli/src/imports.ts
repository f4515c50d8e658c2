import type { Curve, KeyhearthClient } from "@keyhearth/sdk";
import { encryptPrivateKeyToBundle, encryptWalletToBundle } from "@keyhearth/sdk/crypto";
import { findAddressFormat } from "./addresses.ts";
import type { Given, Surroundings } from "./command.ts";
import { newAccounts } from "./commands/wallets-create.ts";
import { readSecret } from "./connection/secrets.ts";
import { InputError } from "./errors.ts";
import { labelOf, readText } from "./json.ts";

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

export async function beginImport(
  client: KeyhearthClient,
  { kind, signerPublicKey }: { kind: Kind; signerPublicKey: string },
): Promise<Begun> {
  const { organizationId, userId } = await client.whoami();
  const { importBundle } =
    kind === "wallet"
      ? await client.initImportWallet({ userId })
      : await client.initImportPrivateKey({ userId });
  return { kind, organizationId, userId, signerPublicKey, importBundle };
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
