import * as z from "zod";
import { SignWith } from "../chains/payload.ts";
import {
  contractWants,
  readTransaction,
  signTransaction as sign,
  TransactionType,
  transactionRoots,
  UnsignedTransaction,
} from "../chains/transactions.ts";
import { defineActivity } from "../declare/define.ts";
import { PrivateKeyId } from "../fields/schemas.ts";

const result = z
  .strictObject({
    signedTransaction: z
      .string()
      .describe("The signed transaction in hexadecimal digits, without `0x`.")
      .meta({ examples: ["02f86f0180830f4240843b9aca00825208"] }),
  })
  .describe("A signed transaction.");

/** Signs a transaction. It must decode completely, so that policies see every field (decision 7). */
export const signTransaction = defineActivity({
  name: "sign_transaction",
  tag: "Signing",
  summary: "Sign transaction",
  description:
    "Sign a transaction with a private key or wallet account. A transaction that does not decode completely is refused.",
  policy: { resource: "PRIVATE_KEY", action: "SIGN" },
  changes: "nothing",
  defaultType: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  versions: {
    ACTIVITY_TYPE_SIGN_TRANSACTION: {
      intentKey: "signTransactionIntent",
      resultKey: "signTransactionResult",
      intent: z.strictObject({
        privateKeyId: PrivateKeyId,
        unsignedTransaction: UnsignedTransaction,
        type: TransactionType,
      }),
      // Released clients send `signWith` under this type, whose field is `privateKeyId`.
      readsAs: ({ privateKeyId, signWith }) =>
        (privateKeyId ?? null) === null && signWith
          ? "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
          : undefined,
      result,
    },
    ACTIVITY_TYPE_SIGN_TRANSACTION_V2: {
      intentKey: "signTransactionIntentV2",
      resultKey: "signTransactionResult",
      intent: z.strictObject({
        signWith: SignWith,
        unsignedTransaction: UnsignedTransaction,
        type: TransactionType,
      }),
      result,
    },
  },
  example: {
    signWith: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    unsignedTransaction:
      "02ed0180830f4240843b9aca0082520894d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0",
    type: "TRANSACTION_TYPE_ETHEREUM",
  },
  upgrade: {
    ACTIVITY_TYPE_SIGN_TRANSACTION: ({ privateKeyId, ...rest }) => ({
      signWith: privateKeyId,
      ...rest,
    }),
  },
  wants: (intent, document) => [
    { type: "signing-key", signWith: intent.signWith },
    ...contractWants(intent, document),
  ],

  read: readTransaction,
  roots: transactionRoots,

  execute({ keys }, _intent, transaction) {
    return { signedTransaction: sign(transaction, keys.privateKey(transaction.key)) };
  },
});
