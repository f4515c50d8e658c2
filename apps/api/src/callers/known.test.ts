import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findQuery } from "../queries/index.ts";
import { query } from "../query/query.ts";
import { submit } from "../submission/submit.ts";
import {
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { readStamp, stampOver } from "./stamp.ts";

// When the service says that a request is of somebody whom it knows, so that it makes room for other newcomers.

let server: TestServer;
let organization: TestOrganization;

beforeAll(async () => {
  server = await startTestServer();
  organization = await newOrganization(server);
});
afterAll(() => server.stop());

const scheme = "SIGNATURE_SCHEME_TK_API_P256";

/** Whether the service said so, and whether the request was done. The stamp may be that of other bytes. */
async function sent(
  name: "create_user_tag" | "whoami",
  privateKey: string,
  stamped?: string,
): Promise<{ isKnown: boolean; isDone: boolean }> {
  const { organizationId } = organization;
  const request = {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { userTagName: `tag ${Math.random()}`, userIds: [] },
  };
  const body = encodeUtf8(JSON.stringify(name === "whoami" ? { organizationId } : request));
  const signer = { privateKey: decodeHex(privateKey), scheme } as const;
  const value = createApiKeyStamp(signer, stamped === undefined ? body : encodeUtf8(stamped));
  const stamp = stampOver(body, readStamp({ name: "X-Stamp", value }));
  let isKnown = false;
  const onKnown = () => {
    isKnown = true;
  };
  const declaration = findQuery("whoami");
  if (!declaration) throw new Error("no query");
  const work =
    name === "whoami"
      ? query(server.host, declaration, { body, stamp, onKnown })
      : submit(server.host, { endpoint: name, body, stamp, onKnown });
  const isDone = await work.then(
    () => true,
    () => false,
  );
  return { isKnown, isDone };
}

describe.each(["create_user_tag", "whoami"] as const)("a request for %s", (name) => {
  test("by a user is known", async () => {
    const { privateKey } = organization.rootKey;
    expect(await sent(name, privateKey)).toEqual({ isKnown: true, isDone: true });
  });

  test("with a user's key, but a stamp of other bytes, is not", async () => {
    const { privateKey } = organization.rootKey;
    expect(await sent(name, privateKey, "other")).toEqual({ isKnown: false, isDone: false });
  });

  test("by a key that nobody has registered is not", async () => {
    expect(await sent(name, newKey().privateKey)).toEqual({ isKnown: false, isDone: false });
  });
});
