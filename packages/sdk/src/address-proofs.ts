import { verifyAppProof } from "@keyhearth/crypto/app-proof";
import { Unverified } from "./errors.ts";

/** Where an address comes from, as the answer of a query says. */
type Source = { organizationId: string; walletId?: unknown; privateKeyId?: unknown };

/** The key that the caller trusts, the page that explains the error, and what the query asked for. */
type Pinned = { quorumPublicKey: string; docsUrl: string; asked?: object };

/**
 * Checks every address that a query's answer shows: the holder of the pinned quorum key must have
 * stated that this address belongs to this wallet and path, or to this private key, of this
 * organization. Where the query named a wallet, a path or a private key, it must be that one. Throws
 * `Unverified` for the first one that is not proven.
 */
export function verifyAddresses(
  answer: Record<string, unknown>,
  { organizationId, ...pinned }: Pinned & { organizationId: string },
): void {
  // The members of the queries that show accounts and keys. Results of activities have no proofs.
  for (const member of ["account", "accounts", "privateKey", "privateKeys"]) {
    visit(answer[member], { organizationId }, pinned);
  }
}

function visit(value: unknown, source: Source, pinned: Pinned): void {
  if (Array.isArray(value)) {
    for (const each of value) visit(each, source, pinned);
    return;
  }
  if (!isObject(value)) return;
  const { walletId = source.walletId, privateKeyId = source.privateKeyId } = value;
  const nearest = { ...source, walletId, privateKeyId };
  if (isAddress(value)) verifyAddress(value, nearest, pinned);
  for (const each of Object.values(value)) visit(each, nearest, pinned);
}

// Whatever else the service left out of it, or made of it.
function isAddress(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "address");
}

function verifyAddress(
  { address, path, proof }: Record<string, unknown>,
  { organizationId, walletId, privateKeyId }: Source,
  { quorumPublicKey, docsUrl, asked = {} }: Pinned,
): void {
  const expected =
    path === undefined
      ? { organizationId, privateKeyId, address }
      : { organizationId, walletId, derivationPath: path, address };
  const isProven = verifyAppProof(proof, quorumPublicKey) && states(proof, expected);
  if (!isProven || !isAbout(asked, { walletId, privateKeyId, path, address })) {
    throw new Unverified(
      `The address ${String(address).slice(0, 200)} is not proven by the quorum key that you pinned. Do not use it, and compare the pinned key with the one of your operator`,
      { code: "UNVERIFIED", docsUrl },
    );
  }
}

/** Whether this is what the query named, as far as it named something. Addresses match in any case. */
function isAbout(asked: object, shown: Record<string, unknown>): boolean {
  return Object.entries(asked).every(
    ([name, value]) =>
      !Object.hasOwn(shown, name) ||
      value === undefined ||
      String(value).toLowerCase() === String(shown[name]).toLowerCase(),
  );
}

function states(proof: unknown, expected: Record<string, unknown>): boolean {
  // `verifyAppProof` has checked that the payload is a statement of one of the known forms.
  const { proofPayload } = proof as { proofPayload: string };
  const { addressDerivationProof } = JSON.parse(proofPayload);
  if (!isObject(addressDerivationProof)) return false;
  const names = Object.keys(expected);
  return (
    Object.keys(addressDerivationProof).length === names.length &&
    names.every((name) => addressDerivationProof[name] === expected[name])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
