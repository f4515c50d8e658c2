import { page, server, signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const api: Actor = { name: "API", inText: "the API", note: "sees ciphertext", kind: "carrier" };
const inbox: Actor = {
  name: "Inbox",
  inText: "the inbox",
  note: "proves who it is",
  kind: "carrier",
};

export function EmailLoginSequence() {
  return (
    <Sequence
      title="A login by mail. The bundle reaches the person who reads the inbox, and opens only in the page that asked."
      actors={[page, server, signer, inbox]}
      steps={[
        { from: 0, to: 0, text: "makes a target key" },
        { from: 0, to: 1, text: "address, public half" },
        { from: 1, to: 2, text: "email_auth, stamped" },
        { from: 2, to: 2, text: "makes a session’s key, encrypts it" },
        { from: 2, to: 3, text: "mail with the bundle" },
        { from: 3, to: 0, text: "the user copies the bundle, or opens the link" },
        { from: 0, to: 0, text: "decrypts the bundle" },
        { from: 0, to: 2, text: "stamp_login, stamped by the mailed key" },
        { from: 2, to: 0, text: "session for a key that no script can read" },
      ]}
    />
  );
}

export function EmailRecoverySequence() {
  return (
    <Sequence
      title="A recovery by mail. The mailed key registers one passkey, and can do nothing else."
      actors={[page, server, signer, inbox]}
      steps={[
        { from: 0, to: 0, text: "makes and keeps a target key" },
        { from: 0, to: 1, text: "address, public half" },
        { from: 1, to: 2, text: "init_user_email_recovery" },
        { from: 2, to: 3, text: "mail with a recovery key" },
        { from: 3, to: 0, text: "the user opens the link in the same browser" },
        { from: 0, to: 0, text: "decrypts, makes a passkey" },
        { from: 0, to: 2, text: "recover_user, stamped by the mailed key" },
        { from: 2, to: 0, text: "the passkey counts from now on" },
      ]}
    />
  );
}

export function ImportSequence() {
  return (
    <Sequence
      title="An import. The secret is plain on the device and in the signer, and nowhere in between."
      actors={[page, api, signer]}
      steps={[
        { from: 0, to: 2, text: "init_import_wallet or init_import_private_key" },
        { from: 2, to: 2, text: "makes a target key, signs a bundle" },
        { from: 2, to: 0, text: "import bundle: the public half, for this user" },
        { from: 0, to: 0, text: "checks the signature, encrypts the secret" },
        { from: 0, to: 2, text: "import_wallet or import_private_key" },
        { from: 2, to: 2, text: "decrypts, derives addresses" },
        { from: 2, to: 0, text: "addresses" },
      ]}
    />
  );
}

export function ExportSequence() {
  return (
    <Sequence
      title="An export. Only the target key opens the bundle, and the export is on record before the bundle is released."
      actors={[page, api, signer]}
      steps={[
        { from: 0, to: 0, text: "makes a target key" },
        { from: 0, to: 2, text: "export_…, with the public half" },
        { from: 2, to: 2, text: "decides, encrypts, signs a bundle" },
        { from: 2, to: 1, text: "the export, to be recorded" },
        { from: 1, to: 0, text: "export bundle" },
        { from: 0, to: 0, text: "checks the signature, decrypts" },
      ]}
    />
  );
}

export function CodeLoginSequence() {
  return (
    <Sequence
      title="A login by code. Only the code goes to the inbox, and nobody who passes it on can use it."
      actors={[page, server, signer, inbox]}
      steps={[
        { from: 0, to: 1, text: "address" },
        { from: 1, to: 2, text: "init_otp, stamped" },
        { from: 2, to: 3, text: "the code, and no key" },
        { from: 2, to: 0, text: "signed bundle with a key to encrypt to" },
        { from: 3, to: 0, text: "the user types the code" },
        { from: 0, to: 0, text: "makes a key pair, encrypts code and public half" },
        { from: 0, to: 2, text: "verify_otp, through your server" },
        { from: 2, to: 0, text: "token that names the public half" },
        { from: 0, to: 2, text: "otp_login, signed by the private half" },
        { from: 2, to: 0, text: "session for that key" },
      ]}
    />
  );
}

const operators: Actor = {
  name: "Operators",
  inText: "the operators",
  note: "hold shares",
  kind: "trusted",
};
const machine: Actor = {
  name: "Machine",
  inText: "the machine",
  note: "with an enclave",
  kind: "carrier",
};

export function QuorumDeploymentSequence() {
  return (
    <Sequence
      title="A quorum deployment, as other services do it. Keyhearth doesn’t."
      actors={[operators, machine]}
      steps={[
        { from: 0, to: 1, text: "each asks which program runs" },
        { from: 1, to: 0, text: "document with the program’s hash, signed by the hardware" },
        { from: 0, to: 0, text: "build the program, compare the hashes" },
        { from: 0, to: 1, text: "each sends a share, encrypted to the machine" },
        { from: 1, to: 1, text: "has enough shares, rebuilds the key, starts" },
      ]}
    />
  );
}

const operator: Actor = {
  name: "Operator",
  inText: "the operator",
  note: "the signer’s user",
  kind: "trusted",
};
const stateDirectory: Actor = {
  name: "State directory",
  inText: "the state directory",
  note: "files, mode 0600",
  kind: "trusted",
};

export function SignerStartSequence() {
  return (
    <Sequence
      title="How the signer of Keyhearth starts: with one file, and without a proof of the program."
      actors={[operator, signer, stateDirectory]}
      steps={[
        { from: 0, to: 1, text: "starts the process" },
        { from: 1, to: 2, text: "reads root-key, keyring and marks" },
        { from: 1, to: 1, text: "doesn’t start if the marks are missing" },
        { from: 1, to: 0, text: "opens its socket" },
      ]}
    />
  );
}

const client: Actor = {
  name: "Client",
  inText: "the client",
  note: "pinned one key",
  kind: "trusted",
};
const host: Actor = {
  name: "API, database",
  inText: "the API",
  note: "keep what others signed",
  kind: "carrier",
};

export function ReceiptSequence() {
  return (
    <Sequence
      title="From a request to a receipt. The host stores and passes on, and can’t change either of them."
      actors={[client, host, signer]}
      steps={[
        { from: 0, to: 1, text: "stamped request" },
        { from: 1, to: 2, text: "the same bytes, and records" },
        { from: 2, to: 2, text: "checks the records, decides, notarizes" },
        { from: 2, to: 1, text: "changed records, and a statement" },
        { from: 1, to: 1, text: "commits them" },
        { from: 1, to: 0, text: "activity" },
        { from: 1, to: 2, text: "every five seconds: the new statements" },
        { from: 2, to: 1, text: "signed segment, which names the one before" },
        { from: 1, to: 0, text: "receipts, when you ask" },
        { from: 0, to: 0, text: "verifies them with the pinned key" },
      ]}
    />
  );
}

const provider: Actor = {
  name: "Provider",
  inText: "the provider",
  note: "knows who it is",
  kind: "carrier",
};

export function OidcSignUpSequence() {
  return (
    <Sequence
      title="A sign-up with a social login. The sub-organization stores who the token is about, and not the token."
      actors={[page, provider, server, signer]}
      steps={[
        { from: 0, to: 0, text: "makes a key, nonce = digest of its public half" },
        { from: 0, to: 1, text: "sends the user, with the nonce" },
        { from: 1, to: 0, text: "ID token, signed" },
        { from: 0, to: 2, text: "ID token, public half" },
        { from: 2, to: 3, text: "create_sub_organization, with the token" },
        { from: 3, to: 3, text: "verifies it with the provider’s keys" },
        { from: 3, to: 2, text: "ids of organization and user" },
      ]}
    />
  );
}

export function OidcLoginSequence() {
  return (
    <Sequence
      title="A login. The same token can only start a session for the key that its nonce names."
      actors={[page, server, signer]}
      steps={[
        { from: 0, to: 0, text: "gets an ID token for a new key, as above" },
        { from: 0, to: 1, text: "ID token, public half" },
        { from: 1, to: 2, text: "oauth_login or oauth, for the sub-organization" },
        { from: 2, to: 2, text: "checks signature, issuer, audience, subject, times, nonce" },
        { from: 2, to: 1, text: "session, or a bundle for the target key" },
        { from: 1, to: 0, text: "passes it on" },
      ]}
    />
  );
}

export function FacebookLoginSequence() {
  return (
    <Sequence
      title="A login with Facebook. The browser carries the code, which is worth nothing without the verifier that your server keeps."
      actors={[page, provider, server, signer]}
      steps={[
        { from: 0, to: 2, text: "public half of the session’s key" },
        { from: 2, to: 2, text: "makes verifier, nonce, state" },
        { from: 2, to: 0, text: "address with challenge, nonce and state" },
        { from: 0, to: 1, text: "sends the person there" },
        { from: 1, to: 2, text: "code and state, by the browser" },
        { from: 2, to: 2, text: "compares the state" },
        { from: 2, to: 1, text: "code and verifier" },
        { from: 1, to: 2, text: "ID token with the nonce" },
        { from: 2, to: 3, text: "oauth_login, with the public half" },
        { from: 3, to: 3, text: "verifies token and nonce" },
        { from: 3, to: 2, text: "session" },
        { from: 2, to: 0, text: "passes the session on" },
      ]}
    />
  );
}

export function ReadWriteSessionSequence() {
  return (
    <Sequence
      title="A session whose key the signer makes. What passes the API is encrypted to the device."
      actors={[page, api, signer]}
      steps={[
        { from: 0, to: 0, text: "makes a target key" },
        { from: 0, to: 2, text: "create_read_write_session, with its public half" },
        { from: 2, to: 2, text: "makes an API key for the user, encrypts it with HPKE" },
        { from: 2, to: 0, text: "credentialBundle" },
        { from: 0, to: 0, text: "decrypts it, and stamps with the API key" },
      ]}
    />
  );
}

const program: Actor = {
  name: "Your program",
  inText: "your program",
  note: "has an API key",
  kind: "trusted",
};
const node: Actor = {
  name: "Your node",
  inText: "your node",
  note: "of the chain",
  kind: "carrier",
};

export function SendSequence() {
  return (
    <Sequence
      title="A payment. Keyhearth never talks to the chain, and the node never sees a key."
      actors={[node, program, signer]}
      steps={[
        { from: 1, to: 0, text: "asks for nonce, gas and fees" },
        { from: 1, to: 2, text: "sign_transaction, with all of it" },
        { from: 2, to: 2, text: "decodes it, asks the policies, signs" },
        { from: 2, to: 1, text: "signed transaction" },
        { from: 1, to: 0, text: "sends it, and waits for the receipt" },
      ]}
    />
  );
}

export function RequestSequence() {
  return (
    <Sequence
      title="The life of a submission. Nothing is answered before it is committed, and nothing counts before it is confirmed."
      actors={[{ ...client, note: "has a credential" }, host, signer]}
      steps={[
        { from: 0, to: 0, text: "writes the request, stamps its bytes" },
        { from: 0, to: 1, text: "bytes and stamp" },
        { from: 1, to: 2, text: "the same bytes, and the records that they need" },
        { from: 2, to: 2, text: "verifies stamp, tags and marks; root quorum, policies; executes" },
        { from: 2, to: 1, text: "proposal: activity, changed records with new tags" },
        { from: 1, to: 1, text: "commits, if the versions are still current" },
        { from: 1, to: 2, text: "confirms the commit" },
        { from: 2, to: 2, text: "moves its mark" },
        { from: 1, to: 0, text: "activity and result" },
      ]}
    />
  );
}
