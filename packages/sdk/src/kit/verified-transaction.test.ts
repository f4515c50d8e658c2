import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { initEccLib, Psbt } from "bitcoinjs-lib";
import * as tiny from "tiny-secp256k1";
import { utils } from "tronweb";
import { serializeTransaction } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { tampering } from "../../../../tests/sdk/tampering.ts";
import { signTransaction } from "../calls/generated/calls.ts";
import type { AddressFormat, Curve } from "../generated/types.ts";
import { type AskedTransaction, signVerified } from "./verified-transaction.ts";

// Somebody between the kit and the real service reads and changes the answers.

initEccLib(tiny);

let organization: TestOrganization;
let quorumPublicKey: string;
const options = () => ({
  timestampMs: String(Date.now()),
  signal: new AbortController().signal,
});

beforeAll(async () => {
  organization = await newOrganization();
  const described = organization.server.signer.handle({ call: "describe" });
  ({ quorumPublicKey } = described as { quorumPublicKey: string });
});

type Chain = {
  curve: Curve;
  addressFormat: AddressFormat;
  type: AskedTransaction["type"];
  unsigned: (address: string, amount: number) => string;
};

const secp256k1 = { curve: "CURVE_SECP256K1" } as const;
const bitcoin = { ...secp256k1, type: "TRANSACTION_TYPE_BITCOIN", unsigned: spendingOf } as const;

const chains: Record<string, Chain> = {
  solana: {
    ...{ curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" },
    type: "TRANSACTION_TYPE_SOLANA",
    unsigned(address, lamports) {
      const feePayer = new PublicKey(address);
      const to = { fromPubkey: feePayer, toPubkey: PublicKey.default, lamports };
      const transaction = new Transaction().add(SystemProgram.transfer(to));
      Object.assign(transaction, { feePayer, recentBlockhash: PublicKey.default.toBase58() });
      const unsigned = { requireAllSignatures: false, verifySignatures: false };
      return encodeHex(Uint8Array.from(transaction.serialize(unsigned)));
    },
  },
  tron: {
    ...{ ...secp256k1, addressFormat: "ADDRESS_FORMAT_TRON", type: "TRANSACTION_TYPE_TRON" },
    unsigned(address, amount) {
      const owner_address = utils.address.toHex(address);
      const value = { owner_address, to_address: `41${"02".repeat(20)}`, amount };
      const made = utils.transaction.txJsonToPb({
        visible: false,
        raw_data: {
          ...{ ref_block_bytes: "a1b2", ref_block_hash: "0102030405060708" },
          ...{ expiration: 1_700_000_060_000, timestamp: 1_700_000_000_000 },
          contract: [{ type: "TransferContract", parameter: { value } }],
        },
      });
      return utils.transaction.txPbToRawDataHex(made).toLowerCase();
    },
  },
  "bitcoin, by ECDSA": { ...bitcoin, addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH" },
  "bitcoin, by Taproot": { ...bitcoin, addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR" },
};

function spendingOf(address: string, amount: number): string {
  const psbt = new Psbt();
  psbt.addOutput({ address, value: BigInt(amount) });
  const [{ script } = { script: new Uint8Array() }] = psbt.txOutputs;
  const witnessUtxo = { script, value: 10_000n };
  psbt.addInput({ hash: new Uint8Array(32).fill(7), index: 0, witnessUtxo });
  return psbt.toHex();
}

describe.each(Object.entries(chains))("a transaction of %s", (_, chain) => {
  test("over other bytes, by the same key or another, is not handed out", async () => {
    const { curve, addressFormat, type, unsigned } = chain;
    const { root } = organization;
    const name = () => crypto.randomUUID();
    const made = async () => {
      const { privateKeys } = await root.createPrivateKeys({
        privateKeys: [
          { privateKeyName: name(), curve, addressFormats: [addressFormat], privateKeyTags: [] },
        ],
      });
      const [key] = privateKeys;
      return { id: key?.privateKeyId ?? "", address: key?.addresses?.[0]?.address ?? "" };
    };
    const [own, other] = [await made(), await made()];
    for (const signWith of [own.address, own.id]) {
      const asked = { signWith, type, unsignedTransaction: unsigned(own.address, 5) };
      for (const pin of [{}, { quorumPublicKey }]) {
        const honest = tampering(organization, (answer) => answer, pin);
        const { signedTransaction } = await signVerified(honest, asked, options());
        const lies = [
          { ...asked, unsignedTransaction: unsigned(own.address, 6) },
          { signWith: other.address, type, unsignedTransaction: unsigned(other.address, 5) },
        ];
        const bytes = await Promise.all(
          lies.map(async (lie) => (await signTransaction(root, lie)).signedTransaction),
        );
        for (const lie of [...bytes, asked.unsignedTransaction, "01".repeat(100), ""]) {
          const lying = tampering(
            organization,
            (answer) => answer.replaceAll(signedTransaction, lie),
            pin,
          );
          await expect(signVerified(lying, asked, options())).rejects.toMatchObject({
            ...{ name: "Unverified", code: "UNVERIFIED" },
          });
        }
      }
    }
  });
});

test("the id of a key signs a transaction of Ethereum, which is verified too", async () => {
  const { root } = organization;
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        ...{ privateKeyName: "by id", curve: "CURVE_SECP256K1", privateKeyTags: [] },
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  const to = privateKeys[0]?.addresses?.[0]?.address as `0x${string}`; // of the format above
  const of = (value: bigint) => ({
    signWith: privateKeys[0]?.privateKeyId ?? "",
    type: "TRANSACTION_TYPE_ETHEREUM" as const,
    unsignedTransaction: serializeTransaction({ chainId: 1, type: "eip1559", to, value }).slice(2),
  });
  const honest = tampering(organization, (answer) => answer, { quorumPublicKey });
  const { signedTransaction } = await signVerified(honest, of(1n), options());
  const { signedTransaction: other } = await signTransaction(root, of(2n));
  const lying = tampering(organization, (answer) => answer.replaceAll(signedTransaction, other));
  await expect(signVerified(lying, of(1n), options())).rejects.toMatchObject({
    code: "UNVERIFIED",
  });
});
