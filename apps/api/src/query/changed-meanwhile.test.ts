import { refusal } from "@keyhearth/engine/organization.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newPrivateKey } from "../queries/queries.testing.ts";
import {
  clientOf,
  fetchOf,
  newOrganization,
  startTestServer,
  type TestClient,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";

// A query reads the organization's document and then other records. In between, a change may delete
// a record that the document names.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

const program = {
  smartContractAddress: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  smartContractInterface: '{ "instructions": [], "types": [] }',
  type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
  label: "vault",
} as const;

/** An organization with one private key and one contract interface. */
async function newSubject() {
  const organization = await newOrganization(server);
  const { root } = organization;
  const { privateKeyId } = await newPrivateKey(organization);
  const { smartContractInterfaceId } = await root.createSmartContractInterface(program);
  return { ...organization, privateKeyId, smartContractInterfaceId };
}

type Subject = Awaited<ReturnType<typeof newSubject>>;

/** A client whose next query has read the document when `change` happens. */
function interrupted(
  { organizationId, rootKey }: TestOrganization,
  change: () => Promise<unknown>,
): TestClient {
  const { host } = server;
  let isDone = false;
  const findPointer: typeof host.findPointer = async (id) => {
    const found = await host.findPointer(id);
    if (!isDone) {
      isDone = true;
      await change();
    }
    return found;
  };
  const fetch = fetchOf({ ...host, findPointer });
  return clientOf({ ...server, fetch }, organizationId, rootKey);
}

function withoutKey({ privateKeyId, root }: Subject) {
  return () => root.deletePrivateKeys({ privateKeyIds: [privateKeyId], deleteWithoutExport: true });
}

function withoutInterface({ smartContractInterfaceId, root }: Subject) {
  return () => root.deleteSmartContractInterface({ smartContractInterfaceId });
}

test("a private key that is deleted after the document was read is not found", async () => {
  const subject = await newSubject();
  const { privateKeyId } = subject;
  const asked = interrupted(subject, withoutKey(subject)).getPrivateKey({ privateKeyId });
  expect(await refusal(asked)).toMatchObject({ httpStatus: 404, code: "NOT_FOUND" });
});

test("lists leave out a private key that is deleted after the document was read", async () => {
  const [listed, whole] = [await newSubject(), await newSubject()];
  expect(await interrupted(listed, withoutKey(listed)).listPrivateKeys({})).toEqual({
    privateKeys: [],
  });
  const { organizationData } = await interrupted(whole, withoutKey(whole)).getOrganization();
  expect(organizationData.privateKeys).toEqual([]);
});

test("an interface that is deleted after the document was read is answered as it was", async () => {
  const subject = await newSubject();
  const { smartContractInterfaceId } = subject;
  const client = interrupted(subject, withoutInterface(subject));
  const shown = await client.getSmartContractInterface({ smartContractInterfaceId });
  expect(shown.smartContractInterface).toMatchObject(program);
});

test("a simulated activity finds no key that is deleted after the document was read", async () => {
  const subject = await newSubject();
  const asked = interrupted(subject, withoutKey(subject)).simulateActivity({
    activity: {
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      parameters: {
        signWith: subject.privateKeyId,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      },
    },
  });
  expect(await refusal(asked)).toMatchObject({ httpStatus: 404, code: "NOT_FOUND" });
});
