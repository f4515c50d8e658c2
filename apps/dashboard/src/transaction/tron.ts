import { encodeBase58Check } from "@keyhearth/crypto/addresses/base58check";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeTronTransaction, tronSigningDigest } from "@keyhearth/crypto/transactions/tron";
import type { TronAction } from "@keyhearth/crypto/transactions/tron-contracts";
import { mostTronFee } from "@keyhearth/crypto/transactions/tron-fee";
import { readCall } from "./calls.ts";
import { coins, type Fact, type Reading } from "./reading.ts";

export function readTron(bytes: Uint8Array): Reading {
  const transaction = decodeTronTransaction(bytes);
  const { contract, expiration, data } = transaction;
  const done = readAction(contract.action);
  const fee = mostTronFee(transaction);
  return {
    ...done,
    facts: [
      { name: "From", value: addressOf(contract.ownerAddress), isMono: true },
      ...done.facts,
      ...(contract.permissionId > 0n
        ? [{ name: "Permission", value: `number ${contract.permissionId} of the account` }]
        : []),
      { name: "Network", value: "Tron" },
      {
        name: "Fee for its bytes",
        value: `at most ${trx(fee.bytes)}${unlessNew(contract.action)}`,
      },
      ...(fee.energy > 0n ? [{ name: "Most for energy", value: trx(fee.energy) }] : []),
      { name: "Valid until", value: timeOf(expiration), isMinor: true },
      ...(data.length > 0 ? [{ name: "Memo", value: `0x${encodeHex(data)}`, isMono: true }] : []),
      {
        ...{ name: "Digest that is signed", isMono: true, isMinor: true },
        value: encodeHex(tronSigningDigest(transaction)),
      },
    ],
    warnings: [
      ...done.warnings,
      ...(fee.hasFixedFees
        ? [
            "Tron takes fixed fees on top: for a memo, a change of permissions or further signatures.",
          ]
        : []),
    ],
  };
}

/** An account that is new costs a fixed fee, and nothing in a payment says whether the receiver is. */
function unlessNew({ kind }: TronAction): string {
  return kind === "transfer" ? ", or more if the receiver is new" : "";
}

function readAction(action: TronAction): Reading {
  const isRead = { warnings: [], isUnread: false };
  switch (action.kind) {
    case "transfer":
      return {
        ...{ title: "A payment", ...isRead },
        facts: [
          { name: "To", value: addressOf(action.toAddress), isMono: true },
          { name: "Amount", value: trx(action.amount), isStrong: true },
        ],
      };
    case "call": {
      const called = readCall(
        { contract: addressOf(action.contractAddress), data: action.data },
        addressOf,
      );
      return {
        ...called,
        facts: [
          ...called.facts,
          { name: "Amount", value: trx(action.callValue), isStrong: true },
          ...(action.callTokenValue > 0n
            ? [{ name: "Token", value: `${action.callTokenValue} of the token ${action.tokenId}` }]
            : []),
        ],
      };
    }
    case "delegate":
    case "undelegate":
      return {
        ...{ title: action.kind === "delegate" ? "Lends a resource" : "Takes a resource back" },
        ...isRead,
        facts: [
          { name: "Receiver", value: addressOf(action.receiverAddress), isMono: true },
          ...staked(action),
          ...(action.kind === "delegate" && action.lock
            ? [{ name: "Locked", value: `for ${action.lockPeriod.toLocaleString("en")} blocks` }]
            : []),
        ],
      };
    case "freeze":
    case "unfreeze":
      return {
        ...{ title: action.kind === "freeze" ? "Stakes TRX" : "Ends a stake of TRX", ...isRead },
        facts: staked(action),
      };
    case "permissions":
      return {
        title: "Changes who may sign for the account",
        facts: [{ name: "Changes", value: "who may sign for the account" }],
        warnings: ["It can give the account to somebody else."],
        isUnread: true,
      };
  }
}

function staked({ balance, resource }: { balance: bigint; resource: string }): Fact[] {
  return [
    { name: "Amount", value: trx(balance), isStrong: true },
    { name: "Resource", value: resource },
  ];
}

function trx(amount: bigint): string {
  return coins(amount, 6, "TRX");
}

/** Its transactions have 21 bytes of an address, and the arguments of calls 20. */
function addressOf(raw: Uint8Array): string {
  return encodeBase58Check(0x41, raw.slice(-20));
}

/** The number may be one that no calendar has. */
function timeOf(ms: bigint): string {
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? `${ms} ms after 1970` : time.toISOString();
}
