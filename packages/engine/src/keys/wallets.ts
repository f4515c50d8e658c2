import { encodeBase64Url, encodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { createDerivation, type Derivation } from "@keyhearth/crypto/keys/derive";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import {
  entropyLength,
  entropyToSeed,
  type MnemonicLanguage,
} from "@keyhearth/crypto/keys/mnemonic";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { alreadyExists, limitExceeded } from "../errors.ts";
import type { WalletAccountParams } from "../fields/schemas.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import { unlistVotesOnly } from "../records/list-votes-only.ts";
import type { OrganizationDocument, WalletLine } from "../records/organization.ts";
import { findWalletLine, type Wallet } from "../records/wallet.ts";
import { placeOf, type WalletAccount } from "../records/wallet-account.ts";
import { encodeSecret, randomSecret } from "../vault/secrets.ts";
import { addressOf } from "./address-formats.ts";
import type { KeyTools } from "./tools.ts";

/** A new wallet and its organization, which is not always the one that creates it. */
type Owner = { organizationId: string; walletId: string };

/** The number of words in a mnemonic if the request does not give it. */
export const MNEMONIC_LENGTH = 12;

/** Refuses the name of another wallet. */
export function checkWalletName(
  { wallets }: OrganizationDocument,
  walletName: string | undefined,
  ownWalletId?: string,
) {
  if (wallets.every((line) => line.walletName !== walletName || line.walletId === ownWalletId)) {
    return;
  }
  const message = `a wallet with the name \`${walletName}\` already exists`;
  throw alreadyExists("NAME_TAKEN", "parameters.walletName", message);
}

/** Refuses one more wallet than an organization may have. */
export function checkWalletLimit({ wallets }: OrganizationDocument) {
  const field = "parameters.walletName";
  checkLimit(wallets.length + 1, LIMITS.wallets, { noun: "wallets", field });
}

/** Creates a wallet with fresh entropy and writes it and its accounts. */
export function createWalletRecords(
  context: KeyTools,
  owner: Owner,
  {
    walletName,
    accounts,
    mnemonicLength = MNEMONIC_LENGTH,
  }: {
    walletName: string;
    accounts: WalletAccountParams[];
    mnemonicLength?: number | undefined;
  },
): { line: WalletLine; addresses: string[] } {
  const entropy = randomSecret(entropyLength(mnemonicLength), context);
  const seed = entropyToSeed(entropy);
  try {
    const mnemonic = { entropy, language: "ENGLISH" as const, passphrase: "" };
    const addresses = writeWallet(context, owner, { mnemonic, seed, accounts });
    return { line: newWalletLine(context, owner.walletId, walletName), addresses };
  } finally {
    wipe(entropy);
    wipe(seed);
  }
}

/** What a seed is made from. */
export type Mnemonic = { entropy: SecretBytes; language: MnemonicLanguage; passphrase: string };

/** Writes a wallet and its accounts. The caller wipes the entropy and the seed. */
export function writeWallet(
  context: KeyTools,
  { organizationId, walletId }: Owner,
  {
    mnemonic: { entropy, language, passphrase },
    seed,
    accounts,
  }: { mnemonic: Mnemonic; seed: SecretBytes; accounts: WalletAccountParams[] },
): string[] {
  const seal = (part: "entropy" | "passphrase" | "seed", bytes: SecretBytes) =>
    context.keys.seal({ organizationId, id: walletId, part }, bytes);
  const passphraseBytes = encodeSecret(passphrase);
  context.write.wallet(
    {
      walletId,
      mnemonicLength: (entropy.length / 4) * 3,
      language,
      sealedEntropy: seal("entropy", entropy),
      sealedPassphrase: passphrase === "" ? null : seal("passphrase", passphraseBytes),
      sealedSeed: seal("seed", seed),
      createdAtMs: context.nowMs,
    },
    organizationId,
  );
  wipe(passphraseBytes);
  const createdAtMs = context.nowMs;
  return writeAccounts(context, { organizationId, walletId }, { seed, accounts, createdAtMs });
}

export function newWalletLine(
  { nowMs }: Pick<KeyTools, "nowMs">,
  walletId: string,
  walletName: string,
): WalletLine {
  return {
    walletId,
    walletName,
    deletedAccounts: [],
    exported: false,
    imported: false,
    seedDigest: null,
    exportedAccountIds: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Derives more accounts of an existing wallet and writes them. Returns their addresses. */
export function createAccountRecords(
  context: KeyTools,
  wallet: Wallet,
  accounts: WalletAccountParams[],
): string[] {
  const { organizationId, nowMs: createdAtMs } = context;
  const owner = { organizationId, walletId: wallet.walletId };
  const decided = context.isVoted
    ? { votedAs: listVoted(context, wallet.walletId) }
    : { request: context.requestName() };
  return withSeed(context, wallet, (seed) =>
    writeAccounts(context, owner, { seed, accounts, createdAtMs, ...decided }),
  );
}

/** Refuses more requests for accounts that votes decide than the wallets of the organization can list. */
export function checkVotedLimit({ document, isVoted }: KeyTools) {
  if (!isVoted) return;
  const limit = LIMITS.votedAccountRequests;
  const before = document.wallets.flatMap(({ votedAccounts = [] }) => votedAccounts).length;
  if (before < limit) return;
  throw limitExceeded(
    "parameters.walletId",
    `the wallets of an organization remember ${limit} requests for accounts that votes decided: delete a wallet, or let a policy allow such requests without votes`,
  );
}

/** Random, so that accounts of a proposal that is not committed do not count. */
function listVoted(context: KeyTools, walletId: string): string {
  const votedAs = encodeBase64Url(context.random(9));
  const line = findWalletLine(context.update(), walletId);
  // Invariant: `check` found it.
  if (!line) throw new Error("an account without a wallet");
  line.votedAccounts = [...(line.votedAccounts ?? []), votedAs];
  unlistVotesOnly(context.update(), context);
  return votedAs;
}

/** Derives the addresses of accounts without writing them. */
export function deriveAddresses(
  context: KeyTools,
  wallet: Wallet,
  accounts: WalletAccountParams[],
): string[] {
  return withSeed(context, wallet, (seed) =>
    deriveAccounts(seed, accounts).map(({ address }) => address),
  );
}

/** Hands the unsealed seed of a wallet to `use`, and wipes it afterwards. */
export function withSeed<T>(
  { organizationId, keys }: KeyTools,
  { walletId: id, sealedSeed }: Wallet,
  use: (seed: SecretBytes) => T,
): T {
  const seed = keys.unseal({ organizationId, id, part: "seed" }, sealedSeed);
  try {
    return use(seed);
  } finally {
    wipe(seed);
  }
}

/** The name from which, with the bytes of the request, the id of an account is derived. */
export function accountIdName(walletId: string, place: string): string {
  return `account/${walletId}/${place}`;
}

function writeAccounts(
  context: KeyTools,
  { organizationId, walletId }: Owner,
  {
    seed,
    accounts,
    createdAtMs,
    ...decided
  }: {
    seed: SecretBytes;
    accounts: WalletAccountParams[];
    createdAtMs: number;
  } & Pick<WalletAccount, "votedAs" | "request">,
): string[] {
  return deriveAccounts(seed, accounts).map(({ params, publicKey, address }) => {
    const { curve, pathFormat, path, addressFormat, name = null } = params;
    const account: WalletAccount = {
      walletAccountId: context.newId(accountIdName(walletId, placeOf(params))),
      walletId,
      curve,
      pathFormat,
      path,
      addressFormat,
      address,
      publicKey: encodeHex(publicKey),
      name,
      proof: context.keys.prove("APP_PROOF_TYPE_ADDRESS_DERIVATION", "addressDerivationProof", {
        organizationId,
        walletId,
        derivationPath: path,
        address,
      }),
      createdAtMs,
      requestedAtMs: context.requestedAtMs,
      documentVersion: organizationId === context.organizationId ? context.documentVersion : 0,
      ...decided,
    };
    context.write.walletAccount(account, organizationId);
    return address;
  });
}

/** Derives what the paths share once. */
function deriveAccounts(seed: SecretBytes, accounts: WalletAccountParams[]) {
  const derivation = createDerivation(seed);
  try {
    return accounts.map((params) => ({ params, ...deriveAccount(derivation, params) }));
  } finally {
    derivation.wipe();
  }
}

function deriveAccount(
  derivation: Derivation,
  { curve, path, addressFormat }: WalletAccountParams,
) {
  const key = derivation.privateKey(curve, path);
  try {
    const publicKey = publicKeyOf(curve, key);
    return { publicKey, address: addressOf(addressFormat, publicKey, curve) };
  } finally {
    wipe(key);
  }
}
