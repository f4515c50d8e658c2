import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { createDerivation, type Derivation } from "@keyhearth/crypto/derive";
import { encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding";
import { type Curve, isValidPrivateKey, publicKeyOf } from "@keyhearth/crypto/keys";
import { entropyLength, entropyToSeed, type MnemonicLanguage } from "@keyhearth/crypto/mnemonic";
import { alreadyExists, checkAll, checkEach, invalid } from "../errors.ts";
import type { AddressFormat, PrivateKeyParams, WalletAccountParams } from "../fields.ts";
import type { Want } from "../records/kinds.ts";
import type { PrivateKeyLine, Tag, WalletLine } from "../records/organization.ts";
import type { PrivateKey } from "../records/private-key.ts";
import { findWalletLine, type Wallet } from "../records/wallet.ts";
import { placeOf, type WalletAccount } from "../records/wallet-account.ts";
import type { Context } from "../submission/execution.ts";

/** A new wallet and its organization, which is not always the one that creates it. */
type Owner = { organizationId: string; walletId: string };

/** The number of words in a mnemonic if the request does not give it. */
export const MNEMONIC_LENGTH = 12;

/** Creates a wallet with fresh entropy and writes it and its accounts. */
export function createWalletRecords(
  context: Context,
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
  const entropy = context.random(entropyLength(mnemonicLength));
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
export type Mnemonic = { entropy: Uint8Array; language: MnemonicLanguage; passphrase: string };

/** Writes a wallet and its accounts. The caller wipes the entropy and the seed. */
export function writeWallet(
  context: Context,
  { organizationId, walletId }: Owner,
  {
    mnemonic: { entropy, language, passphrase },
    seed,
    accounts,
  }: { mnemonic: Mnemonic; seed: Uint8Array; accounts: WalletAccountParams[] },
): string[] {
  const seal = (part: "entropy" | "passphrase" | "seed", bytes: Uint8Array) =>
    context.seal({ organizationId, id: walletId, part }, bytes);
  const passphraseBytes = encodeUtf8(passphrase);
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
  { nowMs }: Pick<Context, "nowMs">,
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
  context: Context,
  wallet: Wallet,
  accounts: WalletAccountParams[],
): string[] {
  const { organizationId, document } = context;
  const owner = { organizationId, walletId: wallet.walletId };
  const deletedAtMs = findWalletLine(document, wallet.walletId)?.deletedAccounts.at(-1)?.atMs ?? 0;
  // Later than the accounts that were deleted, even within the same millisecond.
  const createdAtMs = Math.max(context.nowMs, deletedAtMs + 1);
  const seed = context.unseal(
    { organizationId, id: wallet.walletId, part: "seed" },
    wallet.sealedSeed,
  );
  try {
    return writeAccounts(context, owner, { seed, accounts, createdAtMs });
  } finally {
    wipe(seed);
  }
}

/** Derives the addresses of accounts without writing them. */
export function deriveAddresses(
  context: Context,
  wallet: Wallet,
  accounts: WalletAccountParams[],
): string[] {
  const { organizationId } = context;
  const part = { organizationId, id: wallet.walletId, part: "seed" as const };
  const seed = context.unseal(part, wallet.sealedSeed);
  try {
    return deriveAccounts(seed, accounts).map(({ address }) => address);
  } finally {
    wipe(seed);
  }
}

/** Creates a private key that belongs to no wallet and writes it. */
export function createPrivateKeyRecord(
  context: Context,
  owner: { organizationId: string; privateKeyId: string },
  params: PrivateKeyParams,
): { line: PrivateKeyLine; addresses: { format: AddressFormat; address: string }[] } {
  const key = randomPrivateKey(params.curve, context);
  try {
    return writePrivateKey(context, owner, params, key);
  } finally {
    wipe(key);
  }
}

/** Writes a private key, and returns its line for the document. The caller wipes the key. */
export function writePrivateKey(
  context: Context,
  { organizationId, privateKeyId }: { organizationId: string; privateKeyId: string },
  { privateKeyName, curve, privateKeyTags, addressFormats }: PrivateKeyParams,
  key: Uint8Array,
): { line: PrivateKeyLine; addresses: { format: AddressFormat; address: string }[] } {
  const { nowMs } = context;
  const publicKey = publicKeyOf(curve, key);
  const addresses = addressFormats.map((format) => ({
    format,
    address: addressOf(format, publicKey, curve),
  }));
  const record: PrivateKey = {
    privateKeyId,
    curve,
    publicKey: encodeHex(publicKey),
    addresses: addresses.map(({ format, address }) => {
      const proof = context.prove("APP_PROOF_TYPE_ADDRESS_DERIVATION", "addressDerivationProof", {
        organizationId,
        privateKeyId,
        address,
      });
      return { format, address, proof };
    }),
    sealedKey: context.seal({ organizationId, id: privateKeyId, part: "key" }, key),
    createdAtMs: nowMs,
  };
  context.write.privateKey(record, organizationId);
  const line: PrivateKeyLine = {
    privateKeyId,
    privateKeyName,
    curve,
    publicKey: null,
    privateKeyTags: [...new Set(privateKeyTags)],
    exported: false,
    imported: false,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { line, addresses };
}

/** Of the numbers of 32 bytes, one in 2^32 is too large for a key of P-256. */
export function randomPrivateKey(curve: Curve, { random }: Pick<Context, "random">): Uint8Array {
  for (;;) {
    const bytes = random(32);
    if (isValidPrivateKey(curve, bytes)) return bytes;
  }
}

/** The name that, with the request's bytes, determines the id of an account. */
function accountName(walletId: string, place: string): string {
  return `account/${walletId}/${place}`;
}

/** The accounts that already have a name of one of these, if any. */
export function wantNamesakes(accounts: WalletAccountParams[]): Want[] {
  const names = accounts.flatMap(({ name }) => name ?? []);
  return names.length > 0 ? [{ type: "accounts-named", names }] : [];
}

/** The format must fit the curve, and no account and no name may appear twice. */
export function checkAccounts(accounts: WalletAccountParams[], field: string) {
  const places = new Map<string, string>();
  const names = new Set<string>();
  checkEach(accounts, (account, index) => {
    const { curve, path, addressFormat, name } = account;
    const at = `${field}[${index}]`;
    const place = placeOf(account);
    checkAll(
      () => checkFormat(addressFormat, curve, `${at}.addressFormat`),
      () => {
        const other = places.get(place);
        if (other !== undefined) throw pathTaken(`${at}.path`, path, other);
        places.set(place, path);
      },
      () => {
        if (name === undefined) return;
        if (names.has(name)) throw accountNameTaken(`${at}.name`, name);
        names.add(name);
      },
    );
  });
}

/**
 * No account of the wallet may have the same address in the same format, and none of the
 * organization the same name. What this same request created does not count: its activity is found.
 */
export function checkNewAccounts(
  { records, newId, requestedAtMs }: Context,
  { walletId, deletedAccounts }: WalletLine,
  accounts: WalletAccountParams[],
) {
  const existing = records.accountsAt(walletId);
  const deletedLater = new Set(
    deletedAccounts
      .filter(
        ({ place, walletAccountId, requestedAtMs: atMs }) =>
          // The request's own bytes determine the id, whatever the clocks of the clients say.
          atMs >= requestedAtMs || walletAccountId === newId(accountName(walletId, place)),
      )
      .map(({ place }) => place),
  );
  checkEach(accounts, (account, index) => {
    const at = `parameters.accounts[${index}]`;
    const place = placeOf(account);
    const isOther = ({ walletAccountId }: WalletAccount) =>
      walletAccountId !== newId(accountName(walletId, place));
    checkAll(
      () => {
        if (deletedLater.has(place)) throw deletedSince(account.path);
        const found = existing.get(place);
        if (found && isOther(found)) throw pathTaken(`${at}.path`, account.path, found.path);
      },
      () => checkAccountName(records, account, at, isOther),
    );
  });
}

export function checkAccountName(
  records: Context["records"],
  { name }: WalletAccountParams,
  at: string,
  isOther = (_found: WalletAccount) => true,
) {
  const found = name === undefined ? null : records.accountNamed(name);
  if (found && isOther(found)) throw accountNameTaken(`${at}.name`, found.name ?? "");
}

function accountNameTaken(field: string, name: string) {
  const message = `a wallet account with the name \`${name}\` already exists`;
  return alreadyExists("NAME_TAKEN", field, message);
}

export function checkFormat(format: AddressFormat, curve: Curve, field: string) {
  const { curves }: AddressEncoding = addressEncodings[format];
  if (curves.includes(curve)) return;
  throw invalid(
    field,
    `invalid curve: \`${format}\` needs ${curves.join(" or ")}, got \`${curve}\``,
  );
}

/** Names must be unique, tags must exist, formats must fit. Adds the names to `taken`. */
export function checkPrivateKeys(privateKeys: PrivateKeyParams[], taken: Set<string>, tags: Tag[]) {
  checkEach(privateKeys, ({ privateKeyName, curve, addressFormats, privateKeyTags }, index) => {
    const at = `parameters.privateKeys[${index}]`;
    checkAll(
      () => {
        if (taken.has(privateKeyName)) throw nameTaken(`${at}.privateKeyName`, privateKeyName);
        taken.add(privateKeyName);
      },
      () => checkAddressFormats(addressFormats, curve, `${at}.addressFormats`),
      () =>
        checkEach(privateKeyTags, (tagId, position) => {
          if (tags.some((tag) => tag.tagId === tagId)) return;
          const field = `${at}.privateKeyTags[${position}]`;
          throw invalid(field, `private key tag not found: \`${tagId}\``, "NOT_FOUND");
        }),
    );
  });
}

/** No format may appear twice, and each must fit the curve. */
export function checkAddressFormats(formats: AddressFormat[], curve: Curve, field: string) {
  checkEach(formats, (format, position) => {
    const at = `${field}[${position}]`;
    if (formats.indexOf(format) < position) {
      throw invalid(at, `invalid address format: \`${format}\` appears twice in the list`);
    }
    checkFormat(format, curve, at);
  });
}

export function nameTaken(field: string, name: string) {
  const message = `a private key with the name \`${name}\` already exists`;
  return alreadyExists("NAME_TAKEN", field, message);
}

/** The same bytes again, or a request that was held back, do not bring back what was deleted. */
function deletedSince(path: string) {
  return invalid(
    "timestampMs",
    `\`timestampMs\` is from before the account at \`${path}\` was deleted: stamp the request again to create the account again`,
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** Clients look for this text. */
function pathTaken(field: string, path: string, other: string) {
  const taken = `invalid path: path already exists in wallet account: \`${path}\``;
  const why = ` has the same address as \`${other}\`, since every step of an Ed25519 path is hardened`;
  return alreadyExists("PATH_TAKEN", field, path === other ? taken : `${taken}${why}`);
}

function writeAccounts(
  context: Context,
  { organizationId, walletId }: Owner,
  {
    seed,
    accounts,
    createdAtMs,
  }: { seed: Uint8Array; accounts: WalletAccountParams[]; createdAtMs: number },
): string[] {
  return deriveAccounts(seed, accounts).map(({ params, publicKey, address }) => {
    const { curve, pathFormat, path, addressFormat, name = null } = params;
    const account: WalletAccount = {
      walletAccountId: context.newId(accountName(walletId, placeOf(params))),
      walletId,
      curve,
      pathFormat,
      path,
      addressFormat,
      address,
      publicKey: encodeHex(publicKey),
      name,
      proof: context.prove("APP_PROOF_TYPE_ADDRESS_DERIVATION", "addressDerivationProof", {
        organizationId,
        walletId,
        derivationPath: path,
        address,
      }),
      createdAtMs,
      documentVersion: organizationId === context.organizationId ? context.documentVersion : 0,
    };
    context.write.walletAccount(account, organizationId);
    return address;
  });
}

/** Derives what the paths share once. */
function deriveAccounts(seed: Uint8Array, accounts: WalletAccountParams[]) {
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

function addressOf(format: AddressFormat, publicKey: Uint8Array, curve: Curve): string {
  const { encode }: AddressEncoding = addressEncodings[format];
  return encode(publicKey, curve);
}
