/** Keys of Keyhearth as signers of ethers. */
import {
  AbstractSigner,
  type Authorization,
  type AuthorizationRequest,
  assert,
  assertArgument,
  copyRequest,
  getAddress,
  getBigInt,
  type Provider,
  resolveAddress,
  resolveProperties,
  Signature,
  Transaction,
  type TransactionRequest,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
} from "ethers";
import { asObject } from "../errors/as-object.ts";
import { checkConnection } from "../errors/invalid-fields.ts";
import { type EvmKey, findAddress } from "./evm/key.ts";
import {
  type AddressedKey,
  signAuthorization,
  signatureHex,
  signEvmTransaction,
  signMessage,
  signTypedData,
} from "./evm/sign.ts";

export type EthersSignerOptions = EvmKey & {
  /** The Ethereum address. Only needed if a private key was created without one. */
  address?: string;
  /** Needed to populate and send transactions, and for names. Signing works without one. */
  provider?: Provider | null;
};

/**
 * A signer of ethers that signs with a key of Keyhearth. Policies read transactions, typed data and
 * authorizations before they are signed. Everything that signs throws the errors of the SDK, such as
 * `PolicyDenied` and `ConsensusNeeded`, and `Unverified` unless the service answers with this key's signature
 * over what was to be signed.
 */
export class KeyhearthEthersSigner extends AbstractSigner {
  readonly #options: EthersSignerOptions;
  #address: Promise<string> | undefined;

  constructor(options: EthersSignerOptions) {
    const given = asObject(options);
    checkConnection(given.connection);
    super(given.provider ?? null);
    this.#options = given;
  }

  /** The address with the checksum of EIP-55. */
  getAddress(): Promise<string> {
    this.#address ??= findAddress(this.#options, this.#options.address)
      .then(getAddress)
      .catch((error: unknown) => {
        this.#address = undefined;
        throw error;
      });
    return this.#address;
  }

  /** A signer with the same key and another provider. */
  connect(provider: Provider | null): KeyhearthEthersSigner {
    const signer = new KeyhearthEthersSigner({ ...this.#options, provider });
    signer.#address = this.#address;
    return signer;
  }

  async signTransaction(request: TransactionRequest): Promise<string> {
    const { to, from, ...fields } = copyRequest(request);
    const addresses = await resolveProperties({
      to: to ? resolveAddress(to, this) : undefined,
      from: from ? resolveAddress(from, this) : undefined,
      own: this.getAddress(),
    });
    assertArgument(
      addresses.from === undefined || getAddress(addresses.from) === addresses.own,
      "transaction from address mismatch",
      "request.from",
      from,
    );
    const transaction = Transaction.from({ ...fields, to: addresses.to ?? null });
    const { signature } = await signEvmTransaction(
      await this.#key(),
      transaction.unsignedSerialized,
    );
    transaction.signature = Signature.from(signature);
    return transaction.serialized;
  }

  async signMessage(message: string | Uint8Array): Promise<string> {
    return signatureHex(await signMessage(await this.#key(), message));
  }

  async signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    // biome-ignore lint/suspicious/noExplicitAny: the interface of ethers
    value: Record<string, any>,
  ): Promise<string> {
    const named = await TypedDataEncoder.resolveNames(domain, types, value, (name) =>
      this.#addressOf(name),
    );
    const payload = TypedDataEncoder.getPayload(named.domain, types, named.value);
    return signatureHex(await signTypedData(await this.#key(), JSON.stringify(payload)));
  }

  /** Signs an authorization (EIP-7702) to run the code of a contract in this account. */
  override async authorize(request: AuthorizationRequest): Promise<Authorization> {
    const address = await resolveAddress(request.address, this);
    const populated = await this.populateAuthorization({ ...request, address });
    const authorization = {
      address: getAddress(address),
      nonce: getBigInt(populated.nonce ?? 0),
      chainId: getBigInt(populated.chainId ?? 0),
    };
    const signature = Signature.from(await signAuthorization(await this.#key(), authorization));
    return { ...authorization, signature };
  }

  async #key(): Promise<AddressedKey> {
    return { ...this.#options, address: await this.getAddress() };
  }

  async #addressOf(name: string): Promise<string> {
    assert(
      this.provider !== null,
      "cannot resolve ENS names without a provider",
      "UNSUPPORTED_OPERATION",
      { operation: "resolveName", info: { name } },
    );
    const address = await this.provider.resolveName(name);
    assert(address !== null, "unconfigured ENS name", "UNCONFIGURED_NAME", { value: name });
    return address;
  }
}
