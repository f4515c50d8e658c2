import { checksumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  decodeEthereumTransaction,
  type EthereumTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { mostEthereumFee } from "@keyhearth/crypto/transactions/ethereum-fee";
import { type Call, readCall } from "./calls.ts";
import { coins, type KnownInterface, type Reading } from "./reading.ts";

/** Networks with the name of their coin. All of them count it in 10^18. */
const networks: Record<string, [name: string, coin: string]> = {
  "1": ["Ethereum", "ETH"],
  "10": ["OP Mainnet", "ETH"],
  "56": ["BNB Smart Chain", "BNB"],
  "100": ["Gnosis", "xDAI"],
  "137": ["Polygon", "POL"],
  "8453": ["Base", "ETH"],
  "42161": ["Arbitrum One", "ETH"],
  "43114": ["Avalanche", "AVAX"],
  "84532": ["Base Sepolia, a test network", "ETH"],
  "11155111": ["Sepolia, a test network", "ETH"],
};

export function readEthereum(bytes: Uint8Array, known: readonly KnownInterface[]): Reading {
  const transaction = decodeEthereumTransaction(bytes);
  const { chainId, value, nonce, gas } = transaction;
  const network = networks[String(chainId)];
  // Elsewhere than on Ethereum, an amount in ETH would be another one.
  const coin = network?.[1] ?? "× 10^18 of the chain’s coin";
  const call = callOf(transaction, known);
  return {
    title: call.title,
    facts: [
      ...call.facts,
      { name: "Amount", value: coins(value, 18, coin), isStrong: true },
      {
        name: "Network",
        value:
          chainId === null ? "Any" : network ? `${network[0]} (${chainId})` : `Chain ${chainId}`,
      },
      { name: "Fee", value: `at most ${coins(mostEthereumFee(transaction), 18, coin)}` },
      { name: "Gas limit", value: gas.toLocaleString("en"), isMinor: true },
      { name: "Nonce", value: nonce.toString(), isMinor: true },
      {
        ...{ name: "Digest that is signed", isMono: true, isMinor: true },
        value: `0x${encodeHex(ethereumSigningDigest(transaction))}`,
      },
    ],
    warnings: [
      ...call.warnings,
      ...(chainId === null
        ? ["It names no network, so it counts on every one where this address has funds."]
        : network
          ? []
          : [`This page does not know the network with chain id ${chainId}.`]),
      ...(transaction.type === "TYPE_4"
        ? transaction.authorizationList.map(
            ({ address }) => `It hands an account to the code of ${addressOf(address)} (EIP-7702).`,
          )
        : []),
    ],
    isUnread: call.isUnread,
    ...(call.readBy && { readBy: call.readBy }),
  };
}

/** What it calls, which may have an interface. */
export function contractOfEthereum(bytes: Uint8Array): string[] {
  const { to, data } = decodeEthereumTransaction(bytes);
  return to === null || data.length === 0 ? [] : [addressOf(to)];
}

function addressOf(bytes: Uint8Array): string {
  return checksumAddress(encodeHex(bytes));
}

function callOf({ to, data }: EthereumTransaction, known: readonly KnownInterface[]): Call {
  if (to === null) {
    return {
      ...{ title: "Creates a contract", isUnread: true },
      facts: [
        { name: "To", value: "a new contract" },
        { name: "Code", value: `${data.length.toLocaleString("en")} bytes` },
      ],
      warnings: ["This page cannot tell what the code of the new contract does."],
    };
  }
  const contract = addressOf(to);
  if (data.length === 0) {
    return {
      ...{ title: "A payment", isUnread: false, warnings: [] },
      facts: [{ name: "To", value: contract, isMono: true }],
    };
  }
  const named = known.find(
    ({ smartContractAddress }) => smartContractAddress.toLowerCase() === contract.toLowerCase(),
  );
  return readCall({ contract, data }, addressOf, named);
}
