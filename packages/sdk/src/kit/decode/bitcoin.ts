import { addressOfScript, bitcoinNetworks } from "@keyhearth/crypto/addresses/bitcoin";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeBitcoinSpending, spentOutputs } from "@keyhearth/crypto/transactions/bitcoin";
import { decimal, type FactLine, isKind, type Read } from "./lines.ts";

/** A PSBT names no network. The address that signs does. */
function networkOf(signWith: string): { network: keyof typeof bitcoinNetworks; name: string } {
  if (/^bcrt1/i.test(signWith)) return { network: "regtest", name: "Bitcoin (regtest)" };
  if (/^(tb1|[mn2])/i.test(signWith)) return { network: "testnet", name: "Bitcoin (testnet)" };
  return { network: "mainnet", name: "Bitcoin" };
}

export function readBitcoin(bytes: Uint8Array, signWith: string): Read {
  const spending = decodeBitcoinSpending(bytes);
  const { outputs } = spending.psbt.transaction;
  const { network, name } = networkOf(signWith);
  const sum = (all: readonly { amount: bigint }[]) =>
    all.reduce((total, { amount }) => total + amount, 0n);
  const btc = (amount: bigint) => `${decimal(amount, 8)} BTC`;
  const payments = outputs.flatMap(({ amount, script }): FactLine[] => [
    {
      label: "to",
      value: addressOfScript(bitcoinNetworks[network], script) ?? encodeHex(script),
      isMono: true,
    },
    { label: "amount", value: btc(amount), isStrong: true },
  ]);
  const spent = spentOutputs(spending);
  const isProven = spending.inputs.every((input) => input.isProven);
  const fee = spent && btc(sum(spent) - sum(outputs));
  const line: FactLine =
    fee === undefined
      ? { label: "fee", text: { name: "unknownFee" } }
      : isProven
        ? { label: "fee", value: fee }
        : { label: "fee", text: { name: "feeClaimed", values: { fee } } };
  return {
    lines: [isKind("payment"), ...payments, { label: "network", value: name }, line],
    warnings: [],
  };
}
