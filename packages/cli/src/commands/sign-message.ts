import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { findSigner } from "../found.ts";
import { readText } from "../json.ts";
import { messageRequest, messageSignature } from "../messages.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** Signs a text as wallets of the chain do: EIP-191 for Ethereum, the bytes themselves on Ed25519, else their SHA-256. */
export async function signMessage(given: Given, surroundings: Surroundings): Promise<Report> {
  const address = given.required("with", "the address of an account, or the id of a private key");
  const file = given.option("file");
  const message = messageIn(file === undefined ? given.wordIfAny(0) : await readText(file));
  const { client } = await connect(given, surroundings);
  const asked = messageRequest(message, await findSigner(client, address));
  const { r, s, v } = await client.signRawPayload(asked);
  const { signature, scheme } = messageSignature({ r, s, v }, asked.hashFunction);
  return factsReport({ signature, r, s, v, scheme }, [
    ["signature", signature],
    ["scheme", scheme],
  ]);
}

function messageIn(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new InputError("sign message needs a text, or --file FILE; `-` reads standard input");
}
