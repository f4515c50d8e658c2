import { fetchMailbox } from "../start/process.ts";
import type { World } from "./harness.ts";

export type Mail = { text: string; code: string };

/** The newest message to somebody, as the service's mailbox has it. */
export async function mailTo({ product }: World, address: string): Promise<Mail> {
  const response = await fetchMailbox(product, `?to=${encodeURIComponent(address)}`);
  const [mail] = (await response.json()) as Mail[];
  if (!mail) throw new Error(`there is no mail to ${address}`);
  return mail;
}

/** What is in the mail of an invitation. */
export function invitationIn({ text, code: token }: Mail) {
  const after = (name: string) => new RegExp(`${name}:?\\s+([0-9a-f-]{36})`).exec(text)?.[1] ?? "";
  return {
    token,
    link: /https:\S+\/invitation\?\S+/.exec(text)?.[0] ?? "",
    organizationId: after("Organization id"),
    invitationId: after("Invitation id"),
    userId: after("Your user id"),
  };
}
