/** Keys of Keyhearth as accounts of viem. */
import {
  getTypesForEIP712Domain,
  type LocalAccount,
  type NonceManager,
  type SerializeTransactionFn,
  serializeTransaction,
  serializeTypedData,
  type TransactionSerializable,
  type TypedDataDefinition,
} from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { asObject } from "../errors/as-object.ts";
import { checkConnection } from "../errors/invalid-fields.ts";
import {
  type EvmKey,
  findAddress,
  findPublicKey,
  type Hex,
  invalid,
  isSameAddress,
  unverified,
} from "./evm/key.ts";
import { uncompressed } from "./evm/public-key.ts";
import {
  signAuthorization,
  signatureHex,
  signDigest,
  signEvmTransaction,
  signMessage,
  signTypedData,
} from "./evm/sign.ts";

export type ViemAccountOptions = EvmKey & {
  /** The wallet of the account. Then the public key is found in one request. */
  walletId?: string;
  /** The Ethereum address. Only needed if a private key was created without one. */
  address?: string;
  /** The public key in hex, compressed or not. Then nothing is asked of the service. */
  publicKey?: string;
  /** Counts nonces for transactions that are sent at the same time, as in other accounts of viem. */
  nonceManager?: NonceManager;
};

/** An account of viem that signs with a key of Keyhearth. */
export type KeyhearthViemAccount = LocalAccount<"keyhearth"> &
  Required<Pick<LocalAccount, "sign" | "signAuthorization">>;

/**
 * Makes a viem account that signs with a key of Keyhearth. Policies read transactions, typed data and
 * authorizations before they are signed.
 *
 * Everything that signs throws the errors of the SDK, such as `PolicyDenied` and `ConsensusNeeded`. The
 * address belongs to the public key: if the service shows keys that do not, this throws `Unverified`. So does
 * everything that signs, unless the service answers with this key's signature over what was to be signed.
 */
export async function createViemAccount(
  options: ViemAccountOptions,
): Promise<KeyhearthViemAccount> {
  const { connection, signWith, organizationId, nonceManager } = asObject(options);
  checkConnection(connection);
  const named: EvmKey = { connection, signWith, organizationId };
  const identity = await identityOf(named, options);
  const key = { ...named, address: identity.address };
  return {
    ...identity,
    type: "local",
    source: "keyhearth",
    ...(nonceManager ? { nonceManager } : {}),
    async sign({ hash }) {
      return signatureHex(await signDigest(key, hash));
    },
    async signMessage({ message }) {
      return signatureHex(await signMessage(key, message));
    },
    async signTypedData(definition) {
      // The members are the same, whatever types the definition is about.
      const json = typedDataJson(definition as unknown as TypedDataDefinition);
      return signatureHex(await signTypedData(key, json));
    },
    async signAuthorization({ chainId, nonce, ...target }) {
      const address = target.contractAddress ?? target.address;
      const { yParity, r, s } = await signAuthorization(key, { chainId, address, nonce });
      return { address, chainId, nonce, r, s, v: yParity === 0 ? 27n : 28n, yParity };
    },
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      // A serializer takes the transaction with or without a signature, whatever its own types are.
      const serialize = serializer as SerializeTransactionFn<TransactionSerializable>;
      const unsigned = await serialize(withoutBlobs(transaction));
      const { signature } = await signEvmTransaction(key, unsigned);
      return serialize(transaction, { ...signature, v: signature.yParity === 0 ? 27n : 28n });
    },
  };
}

async function identityOf(
  key: EvmKey,
  options: ViemAccountOptions,
): Promise<{ address: Hex; publicKey: Hex }> {
  const expected = await findAddress(key, options.address);
  const given = options.publicKey;
  const publicKey = uncompressed(given ?? (await findPublicKey(key, expected, options.walletId)));
  const address = publicKey && publicKeyToAddress(publicKey);
  if (address && isSameAddress(address, expected)) return { address, publicKey };
  throw given === undefined
    ? unverified(`The service showed a public key that does not belong to ${expected}`)
    : invalid("publicKey", `must be the key of ${expected} on secp256k1, in hex`);
}

/** The JSON of EIP-712. The types may leave out `EIP712Domain`, but the service needs it. */
function typedDataJson(definition: TypedDataDefinition): string {
  const { domain, types } = definition;
  const declared = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types };
  const message = declaredOnly(declared, definition.primaryType, definition.message);
  // It has the members that its type declares, as before.
  const whole = { ...definition, message: message as Record<string, unknown> };
  return serializeTypedData({ ...whole, types: declared });
}

type Types = Readonly<Record<string, readonly { name: string; type: string }[] | undefined>>;

/**
 * The value without members that its type does not declare. Nobody signs them, so the service refuses them, but
 * viem's own smart accounts pass some.
 */
function declaredOnly(types: Types, type: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    const element = type.replace(/\[\d*\]$/, "");
    return value.map((each) => declaredOnly(types, element, each));
  }
  const members = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!members || typeof value !== "object" || value === null) return value;
  const given: Record<string, unknown> = { ...value };
  return Object.fromEntries(
    members
      .filter(({ name }) => Object.hasOwn(given, name))
      .map((member) => [member.name, declaredOnly(types, member.type, given[member.name])]),
  );
}

// The signature of a transaction with blobs covers their hashes. The blobs are added to what is sent.
function withoutBlobs(transaction: TransactionSerializable): TransactionSerializable {
  const hasBlobs =
    transaction.type === "eip4844" ||
    transaction.blobs !== undefined ||
    transaction.sidecars !== undefined;
  // `sidecars: false` is what serializers take for leaving them out.
  return hasBlobs ? ({ ...transaction, sidecars: false } as TransactionSerializable) : transaction;
}
