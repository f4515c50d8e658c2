import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { labelOf, readText } from "../json.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

const TYPES = {
  ethereum: "TRANSACTION_TYPE_ETHEREUM",
  solana: "TRANSACTION_TYPE_SOLANA",
  tron: "TRANSACTION_TYPE_TRON",
  bitcoin: "TRANSACTION_TYPE_BITCOIN",
} as const;

/** Signs a transaction, which policies see in its parts. */
export async function signTransaction(given: Given, surroundings: Surroundings): Promise<Report> {
  const signWith = given.required("with", "the address of an account, or the id of a private key");
  given.required("type", "ethereum, solana, tron or bitcoin");
  const type = TYPES[given.choice("type", ["ethereum", "solana", "tron", "bitcoin"])];
  const unsignedTransaction = await transactionIn(given.word(0));
  const { client } = await connect(given, surroundings);
  const { signedTransaction } = await client.signTransaction({
    ...{ signWith, unsignedTransaction, type },
  });
  return factsReport({ signedTransaction }, [["signed transaction", signedTransaction]]);
}

/** A transaction in hex, on the command line or in a file. */
async function transactionIn(given: string): Promise<string> {
  const isHex = (text: string) => /^(0x)?([0-9a-f]{2}){8,}$/i.test(text);
  if (isHex(given)) return given;
  const text = (await readText(given)).trim();
  if (isHex(text)) return text;
  throw new InputError(
    `${labelOf(given)} does not contain a transaction in hex: for Solana and Bitcoin, write the bytes of the transaction as hex characters`,
  );
}
