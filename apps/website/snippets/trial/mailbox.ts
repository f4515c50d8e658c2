import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";

/** What the mailbox of a service on your own machine has for somebody, newest first. */
export async function messagesTo(contact: string) {
  // Each start of the service makes another token, and writes it beside the root API key.
  const token = await readFile(join(dirname(rootKeyFile), "mailbox-token"), "utf8");
  const answer = await fetch(`${baseUrl}/mailbox/messages?to=${encodeURIComponent(contact)}`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  return answer.json();
}
