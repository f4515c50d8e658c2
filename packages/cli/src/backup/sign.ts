import { createPublicKey, ECDH, type KeyObject, verify } from "node:crypto";
import type { KeyhearthClient, WalletAccount } from "@keyhearth/sdk";
import { recoverEthereumAddress } from "@keyhearth/sdk/crypto";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";

export type Signed = {
  readonly address: string;
  readonly payload: string;
  readonly r: string;
  readonly s: string;
  readonly v: string;
};

type Account = Pick<WalletAccount, "address" | "addressFormat" | "curve" | "publicKey">;

/** Signs a text with an account and verifies the signature here, with what was known of the account before. */
export async function signWith(client: KeyhearthClient, account: Account): Promise<Signed> {
  const { address, curve } = account;
  // Nobody mistakes it for a transaction or a login.
  const payload = `Keyhearth backup drill ${new Date().toISOString()}`;
  const isEthereum = account.addressFormat === "ADDRESS_FORMAT_ETHEREUM";
  const { r, s, v } = await client.signRawPayload({
    signWith: address,
    payload,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction:
      curve === "CURVE_ED25519"
        ? "HASH_FUNCTION_NOT_APPLICABLE"
        : isEthereum
          ? "HASH_FUNCTION_KECCAK256"
          : "HASH_FUNCTION_SHA256",
  });
  const isRight = isEthereum
    ? recoverEthereumAddress({ payload, r, s, v }) === address
    : verify(
        curve === "CURVE_ED25519" ? null : "sha256",
        Buffer.from(payload),
        { key: publicKeyOf(account), dsaEncoding: "ieee-p1363" },
        Buffer.from(r + s, "hex"),
      );
  if (isRight) return { address, payload, r, s, v };
  throw new InputError(
    `the signature is not one of ${plain(address)}: the copy is damaged, do not rely on it`,
  );
}

/** The public key of an account for OpenSSL. */
function publicKeyOf({ curve, publicKey = "", address }: Account): KeyObject {
  const url = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
  try {
    if (curve === "CURVE_ED25519") {
      const jwk = { kty: "OKP", crv: "Ed25519", x: url(publicKey) };
      return createPublicKey({ key: jwk, format: "jwk" });
    }
    const [crv, name] =
      curve === "CURVE_P256" ? ["P-256", "prime256v1"] : ["secp256k1", "secp256k1"];
    const whole = String(ECDH.convertKey(publicKey, name, "hex", "hex", "uncompressed"));
    const jwk = { kty: "EC", crv, x: url(whole.slice(2, 66)), y: url(whole.slice(66)) };
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch (cause) {
    throw new InputError(`${plain(address)} has no public key that can be read`, {}, { cause });
  }
}

const PAGE = "100";

/** The account of that address, or else the first one of all wallets. Undefined if there is none. */
export async function findAccount(
  client: KeyhearthClient,
  address: string | undefined,
): Promise<Account | undefined> {
  let after: string | undefined;
  for (;;) {
    const { accounts } = await client.listWalletAccounts({
      paginationOptions: { limit: PAGE, ...(after !== undefined && { after }) },
    });
    const found = accounts.find((each) => address === undefined || each.address === address);
    const last = accounts.at(-1);
    if (found || !last) return found;
    after = last.walletAccountId;
  }
}
