import { createCommitter } from "@keyhearth/api/store/commit";
import { rowsOf, unitOf } from "@keyhearth/api/store/commit-unit";
import { openStore, type Store } from "@keyhearth/api/store/connect";
import {
  findDocument,
  type StoredDocument,
  toStoredDocument,
} from "@keyhearth/api/store/organizations";
import { walletAccounts } from "@keyhearth/api/store/wallet-accounts";
import { wallets } from "@keyhearth/api/store/wallets";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { secret } from "@keyhearth/crypto/secret";
import { openSigner } from "@keyhearth/signer/signer";
import { sql } from "kysely";
import {
  type ApiKey,
  newApiKey,
  type Signatory,
  signBody,
  stamperOf,
  subOrganizationBody,
} from "./requests.ts";

/**
 * The bulk writer. The core makes organizations and signatures, and the service's own statements commit
 * them, without HTTP. The signer's state directory is a copy of the service's.
 */
type Task = {
  databaseUrl: string;
  stateDirectory: string;
  parent: { organizationId: string; privateKey: string };
  organizations: number;
  signaturesEach: number;
};

const AT_ONCE = 192;

/**
 * A commit here need not survive a loss of power: the run that seeds starts again then. A checkpoint follows
 * before anything is measured. This is read by each connection that the store opens.
 */
process.env.PGOPTIONS = "-c synchronous_commit=off";

process.once("message", async (task: Task) => {
  try {
    process.send?.({ result: await seed(task) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect?.();
});

/** Seeding takes several times as long with it, and nothing else would show that. */
async function assertSynchronousCommitIsOff({ db }: Store) {
  const { rows } = await sql<Record<string, string>>`SHOW synchronous_commit`.execute(db);
  if (rows[0]?.synchronous_commit !== "off") throw new Error("the seed waits for each commit");
}

async function seed({ databaseUrl, stateDirectory, parent, organizations, signaturesEach }: Task) {
  const store = await openStore({ kind: "postgres", url: secret(databaseUrl) });
  await assertSynchronousCommitIsOff(store);
  const signer = openSigner({ stateDirectory, mayCreate: false, log: () => {} });
  const committer = createCommitter(store);
  const parentDocument = await findDocument(store.db, parent.organizationId);
  if (!parentDocument) throw new Error("the parent organization does not exist");
  const stampOfParent = stamperOf(parent.privateKey);

  async function execute(
    endpoint: string,
    body: string,
    stamp: string,
    document: StoredDocument,
    records: { digest: string; bytes: Uint8Array }[],
  ) {
    const brought = [document, ...records];
    const request = {
      call: "submit" as const,
      endpoint,
      body: encodeUtf8(body),
      stamp: { name: "X-Stamp", value: stamp },
      records: brought.map(({ digest }) => digest),
      attachments: [] as Uint8Array[],
    };
    let answer = signer.handle(request);
    if (answer.kind === "need") {
      const needed = new Set(answer.digests);
      const attachments = brought
        .filter(({ digest }) => needed.has(digest))
        .map(({ bytes }) => bytes);
      answer = signer.handle({ ...request, attachments });
    }
    if (answer.kind !== "proposal") throw new Error(`not proposed: ${JSON.stringify(answer)}`);
    const unit = unitOf(answer, document.document);
    if (!(await committer.commit(unit))) throw new Error("not committed");
    if (answer.ticket !== null) signer.handle({ call: "confirm", ticket: answer.ticket });
    return unit;
  }

  async function makeOrganization(key: ApiKey) {
    const body = subOrganizationBody(parent.organizationId, key.publicKey);
    const stamp = stampOfParent(body);
    const endpoint = "create_sub_organization";
    const unit = await execute(endpoint, body, stamp, parentDocument as StoredDocument, []);
    const [row] = unit.organizations;
    const [account] = rowsOf(unit, walletAccounts);
    if (!row || !account) throw new Error("a sub-organization without its records");
    const document = toStoredDocument(row.organizationId, row);
    const records = [account, ...rowsOf(unit, wallets)].map(({ digest, record }) => ({
      digest,
      bytes: record,
    }));
    const signatory: Signatory = {
      organizationId: row.organizationId,
      stamp: stamperOf(key.privateKey),
      signWith: account.body.address,
    };
    for (let each = 0; each < signaturesEach; each++) {
      const signing = signBody(signatory);
      await execute("sign_raw_payload", signing, signatory.stamp(signing), document, records);
    }
  }

  let left = organizations;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await makeOrganization(newApiKey());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  signer.close();
  await store.close();
  return { organizations };
}
