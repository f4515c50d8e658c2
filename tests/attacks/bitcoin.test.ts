import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeDerSignature } from "@keyhearth/crypto/encoding/der";
import {
  fieldsOf,
  type Kind,
  type SampleInput,
  spendables,
  transactionOf,
  writePsbt,
} from "@keyhearth/crypto/transactions/bitcoin.testing";
import { address, Psbt, Transaction } from "bitcoinjs-lib";
import * as tiny from "tiny-secp256k1";
import { utils } from "tronweb";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  ask,
  makePolicy,
  newVictim,
  type Person,
  perform,
  resultOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// An attacker who has a user's key, and knows coins of the victim, asks for signatures of Bitcoin and
// Tron transactions that say something else than they do.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server.stop());

const THIEF = "0014dddddddddddddddddddddddddddddddddddddddd";
const TRUE_AMOUNT = 10_000_000n;

type Coins = { victim: Victim; clerk: Person; publicKey: Uint8Array } & {
  [name in "mainnet" | "regtest" | "tron"]: string;
};

/** A clerk who may sign what these policies allow, and the addresses of one key. */
async function newCoins(allowed: string, denied?: string): Promise<Coins> {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const formats = ["BITCOIN_MAINNET_P2WPKH", "BITCOIN_REGTEST_P2WPKH", "TRON", "COMPRESSED"];
  const reply = await perform(server, victim, {
    endpoint: "create_wallet",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: {
      walletName: "coins",
      accounts: formats.map((format) => ({
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/84'/0'/0'/0/0",
        addressFormat: `ADDRESS_FORMAT_${format}`,
      })),
    },
  });
  const { addresses } = resultOf(reply, "createWalletResult") as { addresses: string[] };
  const [mainnet = "", regtest = "", tron = "", publicKey = ""] = addresses;
  await perform(server, victim, makePolicy("sign", "EFFECT_ALLOW", { condition: allowed }));
  if (denied !== undefined) {
    await perform(server, victim, makePolicy("limit", "EFFECT_DENY", { condition: denied }));
  }
  return { victim, clerk, publicKey: decodeHex(publicKey), mainnet, regtest, tron };
}

type Coin = { kind: Kind; claim?: bigint; tells?: SampleInput["tells"] };

/** Spends coins of the key. Each has the true amount, and claims another one if it is given. */
function spend(publicKey: Uint8Array, coins: readonly Coin[]) {
  const inputs = coins.map(({ kind, claim = TRUE_AMOUNT, tells = "output" }, i): SampleInput => {
    const spendable = spendables[kind](publicKey, publicKey);
    const made = new Transaction();
    made.addInput(new Uint8Array(32).fill(i + 1), 0);
    made.addOutput(spendable.script, TRUE_AMOUNT);
    return {
      kind,
      isOwn: true,
      amount: claim,
      earlier: made.toBuffer(),
      txid: made.getHash(),
      vout: 0,
      sequence: 0xffffffff,
      tells,
      ...spendable,
    };
  });
  const script = decodeHex(THIEF);
  return {
    privateKey: new Uint8Array(0),
    publicKey,
    version: 2,
    locktime: 0,
    inputs,
    outputs: [{ script, amount: TRUE_AMOUNT }],
  };
}

function signing(signWith: string, psbt: Uint8Array): Ask {
  return {
    endpoint: "sign_transaction",
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    parameters: {
      signWith,
      unsignedTransaction: encodeHex(psbt),
      type: "TRANSACTION_TYPE_BITCOIN",
    },
  };
}

async function expectRefused({ victim, clerk }: Coins, what: Ask, status: 400 | 403) {
  const reason = status === 403 ? "POLICY_DENIED" : "TRANSACTION_INVALID";
  const reply = await ask(server, victim, what, clerk.key);
  expect(reply).toMatchObject({ status, reason, activity: undefined });
}

test("two lies about amounts do not add up to a fee that nobody allowed", async () => {
  const rules: [string, string?][] = [
    ["bitcoin.tx.fee <= 1000"],
    ["activity.action == 'SIGN'", "bitcoin.tx.fee > 1000"],
  ];
  for (const [allowed, denied] of rules) {
    const coins = await newCoins(allowed, denied);
    // Each signature would be good for its own input, and both together for all of the money.
    for (const liar of [0, 1]) {
      const both = [0, 1].map((i) => ({
        kind: "p2wpkh" as const,
        ...(i === liar && { claim: 500n }),
      }));
      const psbt = writePsbt(spend(coins.publicKey, both));
      await expectRefused(coins, signing(coins.mainnet, psbt), 403);
    }
  }
});

test("nor do a lie about one coin and the truth about another, which is proven or beside a false Taproot coin", async () => {
  const rules: [string, string?][] = [
    ["bitcoin.tx.fee <= 1000"],
    ["activity.action == 'SIGN'", "bitcoin.tx.fee > 1000"],
  ];
  const liar: Coin = { kind: "p2wpkh", claim: 500n };
  const pairs: [Coin, Coin][] = [
    [{ kind: "p2wpkh", tells: "both" }, liar],
    [liar, { kind: "p2wpkh", tells: "both" }],
  ];
  const stranger: Coin = { kind: "p2tr", claim: 500n };
  const triples: Coin[][] = [
    [{ kind: "p2wpkh" }, liar, stranger],
    [liar, { kind: "p2wpkh" }, stranger],
  ];
  for (const [allowed, denied] of rules) {
    const coins = await newCoins(allowed, denied);
    // Two requests together would give a good signature for each coin of the key.
    for (const each of [...pairs, ...triples]) {
      const psbt = writePsbt(spend(coins.publicKey, each));
      await expectRefused(coins, signing(encodeHex(coins.publicKey), psbt), 403);
    }
  }
});

test("a lie about the only amount gives a signature that is worth nothing", async () => {
  const coins = await newCoins("bitcoin.tx.fee <= 1000");
  const sample = spend(coins.publicKey, [{ kind: "p2wpkh", claim: TRUE_AMOUNT + 1n }]);
  const what = signing(coins.mainnet, writePsbt(sample));
  const reply = await perform(server, coins.victim, what, coins.clerk.key);
  const { signedTransaction } = resultOf(reply, "signTransactionResult");
  const [field] = Psbt.fromHex(String(signedTransaction)).data.inputs[0]?.partialSig ?? [];
  const signature = decodeDerSignature(field?.signature.slice(0, -1) ?? new Uint8Array());
  const hash = sample.inputs[0]?.script.slice(2) ?? new Uint8Array();
  const code = Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac);
  const isGoodFor = (amount: bigint) => {
    const digest = transactionOf(sample).hashForWitnessV0(0, code, amount, Transaction.SIGHASH_ALL);
    return tiny.verify(digest, coins.publicKey, signature);
  };
  expect([isGoodFor(TRUE_AMOUNT), isGoodFor(TRUE_AMOUNT + 1n)]).toEqual([false, true]);
});

test("an amount that the signature would not commit to is not believed", async () => {
  const coins = await newCoins("bitcoin.tx.fee <= 1000");
  const legacy = spend(coins.publicKey, [{ kind: "p2pkh", claim: TRUE_AMOUNT + 1n }]);
  const { publicKey } = coins;
  const whole = signing(encodeHex(publicKey), writePsbt(legacy));
  await expectRefused(coins, whole, 400);
  // The earlier transaction of another coin, and one whose output is not what the PSBT claims.
  const richer = new Transaction();
  richer.addInput(new Uint8Array(32).fill(9), 0);
  richer.addOutput(spendables.p2pkh(publicKey).script, TRUE_AMOUNT + 1n);
  for (const change of [
    { earlier: richer.toBuffer(), tells: "earlier" as const },
    { tells: "both" as const },
  ]) {
    const inputs = legacy.inputs.map((input) => ({ ...input, ...change }));
    const psbt = writePsbt({ ...legacy, inputs }, 0, inputs.map(fieldsOf));
    await expectRefused(coins, signing(encodeHex(publicKey), psbt), 400);
  }
});

test("another network's address of the key does not hide a recipient from a DENY on its script", async () => {
  const coins = await newCoins(
    "activity.action == 'SIGN'",
    `bitcoin.tx.outputs.any(o, o.script_pubkey == '${THIEF}')`,
  );
  const psbt = writePsbt(spend(coins.publicKey, [{ kind: "p2wpkh" }]));
  for (const signWith of [coins.mainnet, coins.regtest, coins.tron, encodeHex(coins.publicKey)]) {
    await expectRefused(coins, signing(signWith, psbt), 403);
  }
});

test("an address that names no network does not hide a recipient from a DENY on its address", async () => {
  const thief = address.fromOutputScript(decodeHex(THIEF));
  const coins = await newCoins(
    "activity.action == 'SIGN'",
    `bitcoin.tx.outputs.any(o, o.address == '${thief}')`,
  );
  const psbt = writePsbt(spend(coins.publicKey, [{ kind: "p2wpkh" }]));
  for (const signWith of [coins.mainnet, coins.tron, encodeHex(coins.publicKey)]) {
    await expectRefused(coins, signing(signWith, psbt), 403);
  }
});

test("a Tron transaction that nodes read differently from policies is not signed", async () => {
  const coins = await newCoins("tron.tx.contract.all(c, c.amount <= 5)");
  const { tron, victim, clerk } = coins;
  const value = {
    owner_address: utils.address.toHex(tron),
    to_address: `41${"dd".repeat(20)}`,
    amount: 5,
  };
  const transaction = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ref_block_bytes: "a1b2",
      ref_block_hash: "0102030405060708",
      expiration: 1_700_000_060_000,
      timestamp: 1_700_000_000_000,
      contract: [{ type: "TransferContract", parameter: { value } }],
    },
  });
  const raw = utils.transaction.txPbToRawDataHex(transaction).toLowerCase();
  const request = (unsignedTransaction: string): Ask => ({
    endpoint: "sign_transaction",
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    parameters: { signWith: tron, unsignedTransaction, type: "TRANSACTION_TYPE_TRON" },
  });
  await perform(server, victim, request(raw), clerk.key);
  // Of two contracts or fields, some readers take the first and others the last, or ignore one.
  const contract = raw.slice(raw.indexOf("5a"), raw.lastIndexOf("70"));
  const forms = [raw.replace(contract, contract + contract), `${raw}7001`, `${raw}9a0100`];
  for (const form of forms) {
    expect(form).not.toBe(raw);
    await expectRefused(coins, request(form), 400);
  }
});
