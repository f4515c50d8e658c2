import type { SignRawPayloadIntentV2, SignTransactionIntentV2 } from "@keyhearth/sdk";
import { findSigner } from "../found.ts";
import { messageRequest } from "../messages.ts";
import type { Agent } from "./agent.ts";

export type SignRequest =
  | {
      readonly type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
      readonly parameters: SignTransactionIntentV2;
    }
  | {
      readonly type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
      readonly parameters: SignRawPayloadIntentV2;
    };

/** What a caller wants to have signed. */
export type Wanted =
  | {
      readonly kind: "transaction";
      readonly signWith: string;
      readonly chain: "ethereum" | "solana" | "tron" | "bitcoin";
      readonly unsignedTransaction: string;
    }
  | { readonly kind: "message"; readonly signWith: string; readonly message: string };

export async function requestOf({ client }: Agent, wanted: Wanted): Promise<SignRequest> {
  const { signWith } = wanted;
  if (wanted.kind === "transaction") {
    const { unsignedTransaction, chain } = wanted;
    const type = `TRANSACTION_TYPE_${chain.toUpperCase() as Uppercase<typeof chain>}` as const;
    return {
      type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      parameters: { signWith, unsignedTransaction, type },
    };
  }
  const signer = await findSigner(client, signWith);
  return {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: messageRequest(wanted.message, signer),
  };
}
