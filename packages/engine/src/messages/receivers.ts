import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseUrl } from "@keyhearth/crypto/encoding/url";
import { sha256 } from "@keyhearth/crypto/primitives";
import { type Addressee, CHANNELS } from "./message.ts";

/**
 * Stands for whoever gets a message, so that the host can count what each receiver gets without opening
 * it. All spellings of an address that usually reach one mailbox are one receiver.
 */
export function receiverOf({ kind, recipient }: Addressee): string {
  const channel = CHANNELS[kind];
  const normal = channel === "sms" ? recipient.replace(/\D/g, "") : mailboxOf(recipient);
  return encodeHex(sha256(encodeUtf8(`${channel}\n${normal}`)));
}

/** The mailbox that an address usually reaches. Nothing is ever sent to this spelling. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = domainOf(address.slice(at + 1));
  const name = address.slice(0, at).normalize("NFKC").toLowerCase().replaceAll('"', "");
  const plus = name.indexOf("+");
  // What follows a plus is a note of the receiver for themselves.
  const mailbox = plus > 0 ? name.slice(0, plus) : name;
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${mailbox.replaceAll(".", "")}@gmail.com` : `${mailbox}@${domain}`;
}

/** A domain in the one form that name servers know. */
function domainOf(text: string): string {
  const domain = text.normalize("NFKC").toLowerCase().replace(/\.+$/, "");
  return parseUrl(`http://${domain}/`)?.hostname || domain;
}
