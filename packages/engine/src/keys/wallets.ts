import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { derivePrivateKey } from "@keyhearth/crypto/derive";
import { encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding";
import { type Curve, isValidPrivateKey, publicKeyOf } from "@keyhearth/crypto/keys";
import { entropyLength, entropyToSeed, type MnemonicLanguage } from "@keyhearth/crypto/mnemonic";
import { alreadyExists, checkAll, checkEach, invalid } from "../errors.ts";
import type { AddressFormat, PrivateKeyParams, WalletAccountParams } from "../fields.ts";
import type { PrivateKeyLine, Tag, WalletLine } from "../records/organization.ts";
import type { PrivateKey } from "../records/private-key.ts";
import type { Wallet } from "../records/wallet.ts";
import type { WalletAccount } from "../records/wallet-account.ts";
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
  return writeAccounts(context, { organizationId, walletId }, seed, accounts);
}

export function newWalletLine(
  { nowMs }: Pick<Context, "nowMs">,
  walletId: string,
  walletName: string,
): WalletLine {
  return {
    walletId,
    walletName,
    exported: false,
    imported: false,
    keyDigest: null,
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
  const { organizationId } = context;
  const owner = { organizationId, walletId: wallet.walletId };
  const seed = context.unseal(
    { organizationId, id: wallet.walletId, part: "seed" },
    wallet.sealedSeed,
  );
  try {
    return writeAccounts(context, owner, seed, accounts);
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
    return accounts.map((account) => deriveAccount(seed, account).address);
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
    privateKeyTags: [...new Set(privateKeyTags)],
    exported: false,
    imported: false,
    keyDigest: null,
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
export function accountName(walletId: string, path: string, addressFormat: string): string {
  return `account/${walletId}/${path}/${addressFormat}`;
}

/** The format must fit the curve, and no account may appear twice. */
export function checkAccounts(accounts: WalletAccountParams[], field: string) {
  const places = new Set<string>();
  checkEach(accounts, ({ curve, path, addressFormat }, index) => {
    checkFormat(addressFormat, curve, `${field}[${index}].addressFormat`);
    const place = `${path} ${addressFormat}`;
    if (places.has(place)) throw pathTaken(`${field}[${index}].path`, path);
    places.add(place);
  });
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

export function pathTaken(field: string, path: string) {
  return alreadyExists(
    "PATH_TAKEN",
    field,
    `invalid path: path already exists in wallet account: \`${path}\``,
  );
}

function writeAccounts(
  context: Context,
  { organizationId, walletId }: Owner,
  seed: Uint8Array,
  accounts: WalletAccountParams[],
): string[] {
  return accounts.map((params) => {
    const { publicKey, address } = deriveAccount(seed, params);
    const { curve, pathFormat, path, addressFormat } = params;
    const account: WalletAccount = {
      walletAccountId: context.newId(accountName(walletId, path, addressFormat)),
      walletId,
      curve,
      pathFormat,
      path,
      addressFormat,
      address,
      publicKey: encodeHex(publicKey),
      proof: context.prove("APP_PROOF_TYPE_ADDRESS_DERIVATION", "addressDerivationProof", {
        organizationId,
        walletId,
        derivationPath: path,
        address,
      }),
      createdAtMs: context.nowMs,
    };
    context.write.walletAccount(account, organizationId);
    return address;
  });
}

function deriveAccount(seed: Uint8Array, { curve, path, addressFormat }: WalletAccountParams) {
  const key = derivePrivateKey({ seed, curve, path });
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
