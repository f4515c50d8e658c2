import { page, server, signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const authenticator: Actor = {
  name: "Authenticator",
  inText: "the authenticator",
  note: "holds the passkey",
  kind: "trusted",
};
const inbox: Actor = { name: "Inbox", inText: "the inbox", note: "Ada reads it", kind: "carrier" };
const ada: Actor = { name: "Ada", inText: "Ada", note: "not here yet", kind: "trusted" };

export function PasskeySignUpSequence() {
  return (
    <Sequence
      title="A sign-up with a passkey. Your server creates the wallet, and can’t sign with it."
      actors={[authenticator, page, server, signer]}
      steps={[
        { from: 1, to: 0, text: "asks for a passkey of your domain" },
        { from: 0, to: 1, text: "public key, after a touch" },
        { from: 1, to: 2, text: "name, public key" },
        { from: 2, to: 3, text: "create_sub_organization, stamped by your API key" },
        { from: 3, to: 3, text: "makes the wallet" },
        { from: 3, to: 1, text: "the addresses, by way of your server" },
        { from: 1, to: 0, text: "a request to sign, as a digest" },
        { from: 0, to: 1, text: "stamp, after a touch" },
        { from: 1, to: 3, text: "the request with the passkey’s stamp" },
        { from: 3, to: 1, text: "signature" },
      ]}
    />
  );
}

export function PasskeyLoginSequence() {
  return (
    <Sequence
      title="A login with a passkey. One touch starts a session, whose key the browser keeps to itself."
      actors={[authenticator, page, signer]}
      steps={[
        { from: 1, to: 1, text: "makes a key that no script can read" },
        { from: 1, to: 0, text: "stamp_login for this key, as a digest" },
        { from: 0, to: 1, text: "stamp, after a touch" },
        { from: 1, to: 2, text: "stamp_login with the stamp" },
        { from: 2, to: 1, text: "session for the key" },
        { from: 1, to: 2, text: "requests, stamped by the key without asking" },
      ]}
    />
  );
}

export function PregeneratedSequence() {
  return (
    <Sequence
      title="A wallet before its owner. Until Ada comes, nobody can use it, you included."
      actors={[server, signer, inbox, ada]}
      steps={[
        { from: 0, to: 1, text: "create_sub_organization with Ada’s address" },
        { from: 1, to: 0, text: "the wallet, which you can send to" },
        { from: 3, to: 1, text: "init_otp, days later, by way of your server" },
        { from: 1, to: 2, text: "mail with a code" },
        { from: 2, to: 3, text: "the code" },
        { from: 3, to: 1, text: "verify_otp and otp_login" },
        { from: 1, to: 3, text: "a session" },
        { from: 3, to: 1, text: "create_authenticators: her passkey" },
      ]}
    />
  );
}
