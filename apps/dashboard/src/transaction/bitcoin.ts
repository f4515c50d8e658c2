import { addressOfScript, bitcoinNetworks } from "@keyhearth/crypto/addresses/bitcoin";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeBitcoinSpending, spentOutputs } from "@keyhearth/crypto/transactions/bitcoin";
import { coins, type Fact, type Reading } from "./reading.ts";

/** A PSBT names no network. The address that signs does, or the format of its addresses: not the id of a key. */
export function readBitcoin(
  bytes: Uint8Array,
  { signWith, format }: { signWith: string; format?: string | undefined },
): Reading {
  const named = networkOfFormat(format) ?? networkOfAddress(signWith);
  // Without a network, it is read as one of the mainnet, where the coins have a price.
  const network = bitcoinNetworks[named === "signet" ? "testnet" : (named ?? "mainnet")];
  const spending = decodeBitcoinSpending(bytes);
  const { inputs, outputs } = spending.psbt.transaction;
  const total = (of: readonly { amount: bigint }[]) =>
    of.reduce((sum, { amount }) => sum + amount, 0n);
  const btc = (amount: bigint) => coins(amount, 8, "BTC");
  const spent = spentOutputs(spending);
  return {
    title: "A payment",
    facts: [
      ...outputs.flatMap(({ amount, script }): Fact[] => [
        {
          ...{ name: "To", isMono: true },
          value: addressOfScript(network, script) ?? `the script ${encodeHex(script)}`,
        },
        { name: "Amount", value: btc(amount), isStrong: true },
      ]),
      {
        name: "Network",
        value: named
          ? `Bitcoin, ${named}`
          : "Bitcoin, not named, so the addresses are those of mainnet",
      },
      { name: "Inputs", value: String(inputs.length), isMinor: true },
      { name: "Fee", value: spent ? btc(total(spent) - total(outputs)) : "not known" },
    ],
    warnings: !spent
      ? ["The PSBT does not say what all of its inputs hold, so nobody can tell the fee."]
      : spending.inputs.every(({ isProven }) => isProven)
        ? []
        : ["The fee is what the PSBT claims: it has no earlier transactions that prove it."],
    isUnread: false,
  };
}

type Network = "mainnet" | "testnet" | "signet" | "regtest";

function networkOfFormat(format: string | undefined): Network | undefined {
  const [, name = ""] = /^ADDRESS_FORMAT_BITCOIN_([A-Z]+)_/.exec(format ?? "") ?? [];
  const networks: Record<string, Network> = {
    ...{ MAINNET: "mainnet", TESTNET: "testnet", SIGNET: "signet", REGTEST: "regtest" },
  };
  return networks[name];
}

/** The id of a key may begin as an address of the test network does. */
function networkOfAddress(signer: string): Network | undefined {
  if (signer === "" || signer.includes("-")) return undefined;
  if (signer.startsWith("bcrt1")) return "regtest";
  return /^(tb1|[mn2])/.test(signer) ? "testnet" : "mainnet";
}
