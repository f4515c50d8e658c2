// The rooms of the core, the API, the cryptography, the signer and the SDK. Each imports only rooms above it in its list, so that no two need
// each other, and a change in one is felt only by those below. `rooms.test.ts` reads every import. ARCHITECTURE.md has
// the same tables.

/** A folder, or a single file, of a workspace's sources, and what is in it. */
export type Room = readonly [name: string, what: string];

export const rooms: Readonly<Record<string, readonly Room[]>> = {
  "packages/engine/src": [
    ["errors.ts", "errors as clients see them, with their codes"],
    ["fields/", "what parameters are made of, and how they are parsed"],
    [
      "memory/",
      "caches that charge what they keep by its memory, and bound each organization's part ([decision 19](decisions/0019-memory-and-storage.md))",
    ],
    ["vault/", "the keyring, sealing, ids, and the keys derived from the keyring"],
    [
      "records/",
      "one descriptor for each kind of record, notarization, the document with its index, and its limits",
    ],
    ["receipts/", "signed statements about activities and addresses"],
    ["messages/", "what is sealed to the courier, and to whom it goes"],
    ["keys/", "wallets, private keys, imports, and the key that a request names"],
    ["chains/", "one entry for each chain: decode, show to policies, sign"],
    [
      "people/",
      "users: their credentials, tags, invitations, logins and sessions, one-time codes, what keeps them from being locked out, and who stamped a request",
    ],
    ["declare/", "what an activity says of itself, and what its handler may do"],
    ["policies/", "the decision: what policies see, what they answer, and which approvals count"],
    ["core/", "the messages of the door, and the state that is kept between them"],
    [
      "submission/",
      "a submission, one step a file: bring the records, start or vote, finish, propose",
    ],
    ["activities/", "one file for each activity"],
    ["shown/", "an activity as answers and webhooks show it"],
    ["door/", "the calls of the host"],
  ],
  "apps/api/src": [
    ["errors.ts", "errors that only the API has"],
    ["once.ts", "what is done once and shared"],
    ["generated/", "types of the activities, written by a script"],
    ["config/", "the environment's variables, and why the service does not start"],
    ["directory/", "the data directory: its files, their modes, its lock"],
    ["observability/", "logs and metrics"],
    ["wire/", "schemas of what answers show, and what is read of a request before it is parsed"],
    ["store/", "both databases: tables, statements, the commit"],
    ["documents/", "organizations' documents and records, kept and found"],
    ["fairness/", "families, their turns, their pace and their places, and what is under way"],
    ["signer/", "the signer, in a thread or behind a socket"],
    ["reader/", "long answers in a thread of their own: its turns, its allowance, its messages"],
    ["host/", "what all requests share"],
    ["callers/", "who stamped a request, and in which organization"],
    ["policies/", "policies asked outside of the core: explanations and warnings"],
    ["presentation/", "records as answers show them"],
    ["limits/", "messages, and requests of a credential"],
    ["submission/", "a submission at the host, one step a file"],
    ["query/", "a query, one step a file"],
    ["queries/", "one file for each query"],
    ["reader-thread.ts", "the reader's thread"],
    ["jobs/", "what runs by itself: mail, webhooks, segments, pruning"],
    ["openapi/", "the contract, generated"],
    ["http/", "connections, bodies, answers"],
    ["serve/", "the site's files"],
    ["mailbox/", "mail that a developer reads in the browser"],
    ["feedback/", "what readers say of pages"],
    ["app.ts", "the routes"],
    ["start/", "the service, from its start to its end"],
    ["main.ts", "the process"],
  ],
  "packages/crypto/src": [
    ["secret.ts", "text that shows itself only where it is opened"],
    [
      "secret-bytes.ts",
      "the type of seeds and private keys, which become text only where they are opened",
    ],
    ["curves.ts", "the curves, their orders, and the lengths of their keys"],
    ["encoding/", "bytes as text, DER, CBOR, and JSON in one form"],
    ["primitives/", "what libraries compute, in plain JavaScript and on Node.js"],
    ["keys/", "keys, mnemonics, derivation, signatures"],
    ["addresses/", "one file for each format of addresses"],
    ["transactions/", "transactions and typed data of each chain: parsed, hashed, signed"],
    ["sealing/", "HPKE, the bundles of imports and exports, messages for the courier"],
    ["stamps/", "stamps of API keys and wallets, and what identifies the body they sign"],
    ["webauthn/", "passkeys: assertions, attestations, their keys and certificates"],
    ["tokens/", "tokens of sessions and verifications, and proofs of invitations"],
    [
      "receipts/",
      "what the signer states and anyone can verify: Merkle trees, receipts, app proofs",
    ],
  ],
  "apps/signer/src": [
    ["process/", "a log that has bounds, and a process without a network"],
    ["turns/", "organizations take turns at the signer, by the time that their calls take"],
    ["state/", "the state directory: its files, and what a new installation gets"],
    ["root-key/", "the root key and the file that it is in"],
    ["clock/", "the signer's clock, which a jump makes suspect"],
    ["marks/", "which document of each organization is the newest, on disk and in memory"],
    ["oidc/", "the keys of token issuers"],
    ["signer.ts", "the core with its state: one call, in slices"],
    ["door/", "the socket, and calls in order of their turns"],
    ["worker.ts", "the signer's thread, if it runs in the service's process"],
    ["main.ts", "the process"],
  ],
  "packages/sdk/src": [
    ["generated/", "types of the contract, written by a script"],
    ["errors/", "errors, and mistakes in what a caller gives"],
    ["connection/", "requests, their answers, what is checked of these, and polling"],
    ["calls/", "every call of the contract"],
    ["approvals/", "who can decide about an activity, and waiting for it"],
    [
      "crypto/",
      "keys, bundles, webhooks, receipts and tokens, made and verified by the caller itself",
    ],
    ["stampers/", "what signs a request"],
    ["adapters/", "signers for the libraries of chains"],
    ["client.ts", "every call as a method"],
    ["browser/", "logins, sessions and passkeys in a browser"],
    ["react/", "hooks"],
    ["server/", "a proxy for requests that a browser has stamped, and API keys in files"],
    ["index.ts", "`@keyhearth/sdk`"],
    ["advice.ts", "`@keyhearth/sdk/advice`: what a change of policies means"],
    ["browser.ts", "`@keyhearth/sdk/browser`"],
    ["crypto.ts", "`@keyhearth/sdk/crypto`"],
    ["react.ts", "`@keyhearth/sdk/react`"],
    ["server.ts", "`@keyhearth/sdk/server`"],
  ],
};

export function tableOf(workspace: string): string {
  const rows = (rooms[workspace] ?? []).map(([name, what]) => `| \`${name}\` | ${what} |`);
  return ["| room | what |", "| --- | --- |", ...rows].join("\n");
}
