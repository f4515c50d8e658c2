import type { KeyhearthClient } from "@keyhearth/sdk";
import { decryptPrivateKeyBundle, decryptWalletBundle } from "@keyhearth/sdk/crypto";
import type { Surroundings } from "./command.ts";
import { InputError } from "./errors.ts";
import { findWallet } from "./found.ts";
import { plain } from "./output.ts";

/** What is exported. An account is exported as its private key. */
export type ExportKind = "wallet" | "account" | "private-key";

export const EXPORT_KINDS: readonly ExportKind[] = ["wallet", "account", "private-key"];

/** An export that only the holder of the encryption key can read. */
export type ExportedBundle = {
  readonly kind: ExportKind;
  readonly organizationId: string;
  readonly signerPublicKey: string;
  readonly exportBundle: string;
};

export function exportKindOf(given: string): ExportKind {
  const found = EXPORT_KINDS.find((kind) => kind === given);
  if (found !== undefined) return found;
  throw new InputError(`export takes wallet, account or private-key, and not ${plain(given)}`);
}

/** Asks the signer for a secret, encrypted to a key. Says before which wallet it is: the service knows it by its name. */
export async function askForExport(
  client: KeyhearthClient,
  kind: ExportKind,
  { name, targetPublicKey }: { name: string; targetPublicKey: string },
  stderr: Surroundings["stderr"],
): Promise<string> {
  switch (kind) {
    case "wallet": {
      const { walletId, walletName } = await findWallet(client, name);
      stderr.write(`keyhearth: exporting the wallet ${plain(walletName)} (${plain(walletId)})\n`);
      return (await client.exportWallet({ walletId, targetPublicKey })).exportBundle;
    }
    case "account":
      return (await client.exportWalletAccount({ address: name, targetPublicKey })).exportBundle;
    case "private-key":
      return (await client.exportPrivateKey({ privateKeyId: name, targetPublicKey })).exportBundle;
  }
}

/** Opens an export. Throws `Unverified` if it is not by the signer whose key is known. */
export function openExport(
  { kind, ...origin }: ExportedBundle,
  {
    targetPrivateKey,
    keyFormat,
  }: { targetPrivateKey: string; keyFormat: "HEXADECIMAL" | "SOLANA" },
): string {
  if (kind !== "wallet") return decryptPrivateKeyBundle({ ...origin, targetPrivateKey, keyFormat });
  const { mnemonic, passphrase } = decryptWalletBundle({ ...origin, targetPrivateKey });
  return passphrase === "" ? mnemonic : `${mnemonic}\n${passphrase}`;
}

/** What every export says on standard error. */
export const WARNING =
  "keyhearth: this secret moves everything that its addresses hold, and no policy applies to it outside of the signer\n";
