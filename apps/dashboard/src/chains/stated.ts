import type { PrivateKey, WalletAccount } from "@keyhearth/sdk";
import type { Stated } from "./check.ts";

/** `organizationId` is that of the session, whatever the answer says. */
export function statedOfAccount(account: WalletAccount, organizationId: string): Stated {
  const { address, addressFormat: format, curve, publicKey, proof, walletId, path } = account;
  const place = { organizationId, walletId, derivationPath: path };
  return { address, format, curve, publicKey, proof, place };
}

export function statedOfKey(
  { privateKeyId, curve, publicKey }: PrivateKey,
  { address, format, proof }: PrivateKey["addresses"][number],
  organizationId: string,
): Stated {
  return { address, format, curve, publicKey, proof, place: { organizationId, privateKeyId } };
}
