import { encodeSecp256k1Pubkey, makeSignDoc as makeAminoSignDoc } from "@cosmjs/amino";
import { encodePubkey, makeAuthInfoBytes, makeSignDoc } from "@cosmjs/proto-signing";
import { ApiKeyStamper, Connection, createWallet } from "@keyhearth/sdk";
import { createCosmosAminoSigner, createCosmosDirectSigner } from "@keyhearth/sdk/cosmjs";
import { createSolanaSigner, createSolanaWeb3Signer } from "@keyhearth/sdk/solana";
import {
  blockhash,
  createSignableMessage,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getPublicKeyFromAddress,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  verifySignature,
} from "@solana/kit";
import {
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";

// What an app does in a browser with the adapters for Solana and CosmJS. It is bundled and runs in a page.

type Key = { organizationId: string; apiPublicKey: string; apiPrivateKey: string };

function connectionOf({ organizationId, ...key }: Key): Connection {
  return new Connection({
    baseUrl: location.origin,
    organizationId,
    stamper: new ApiKeyStamper(key),
  });
}

export const chains = {
  async newWallet(key: Key) {
    const { walletId, addresses } = await createWallet(connectionOf(key), {
      walletName: "in a browser",
      accounts: [
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/501'/0'/0'",
          addressFormat: "ADDRESS_FORMAT_SOLANA",
        },
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/118'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_COSMOS",
        },
      ],
    });
    return { walletId, solana: addresses[0] ?? "", cosmos: addresses[1] ?? "" };
  },

  /** A transaction of kit that only pays a fee, in base64, and whether a message verifies. */
  async signWithKit(key: Key, address: string, recent: string) {
    const signer = await createSolanaSigner(connectionOf(key), { address });
    const latest = { blockhash: blockhash(recent), lastValidBlockHeight: 1_000n };
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (made) => setTransactionMessageFeePayerSigner(signer, made),
      (made) => setTransactionMessageLifetimeUsingBlockhash(latest, made),
    );
    const signed = await signTransactionMessageWithSigners(message);
    const login = createSignableMessage("log in");
    const [dictionary] = await signer.signMessages([login]);
    const signature = dictionary?.[signer.address];
    const publicKey = await getPublicKeyFromAddress(signer.address);
    return {
      transaction: getBase64EncodedWireTransaction(signed),
      isMessageSigned:
        signature !== undefined && (await verifySignature(publicKey, signature, login.content)),
    };
  },

  /** A legacy and a version 0 payment of web3.js, as lists of bytes. */
  async signWithWeb3(key: Key, address: string, recentBlockhash: string, to: string) {
    const wallet = await createSolanaWeb3Signer(connectionOf(key), { PublicKey, address });
    const { publicKey: payerKey } = wallet;
    const toPubkey = new PublicKey(to);
    const pay = (lamports: number) =>
      SystemProgram.transfer({ fromPubkey: payerKey, toPubkey, lamports });
    const legacy = new Transaction({ feePayer: payerKey, recentBlockhash }).add(pay(3_000_000));
    const instructions = [pay(4_000_000)];
    const versioned = new VersionedTransaction(
      new TransactionMessage({ payerKey, recentBlockhash, instructions }).compileToV0Message(),
    );
    const signed = await wallet.signAllTransactions([legacy, versioned]);
    return signed.map((transaction) => [...transaction.serialize()]);
  },

  /** A direct and an amino document of one account, with their signatures. */
  async signWithCosmjs(key: Key, walletId: string, address: string) {
    const source = { walletId, address };
    const direct = await createCosmosDirectSigner(connectionOf(key), source);
    const amino = await createCosmosAminoSigner(connectionOf(key), source);
    const [account] = await direct.getAccounts();
    if (!account) throw new Error("a signer without an account");
    const pubkey = encodePubkey(encodeSecp256k1Pubkey(account.pubkey));
    const authInfo = makeAuthInfoBytes([{ pubkey, sequence: 0 }], [], 1, undefined, undefined);
    const signDoc = makeSignDoc(new Uint8Array([10, 0]), authInfo, "cosmoshub-4", 7);
    const first = await direct.signDirect(address, signDoc);
    const fee = { amount: [], gas: "1" };
    const second = await amino.signAmino(
      address,
      makeAminoSignDoc([], fee, "cosmoshub-4", "in a browser", 7, 0),
    );
    return {
      publicKey: [...account.pubkey],
      direct: { authInfo: [...authInfo], signature: first.signature.signature },
      amino: { signed: second.signed, signature: second.signature.signature },
    };
  },
};

declare global {
  interface Window {
    chains: typeof chains;
  }
}

window.chains = chains;
