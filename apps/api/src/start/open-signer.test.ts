import { type Answer, PROTOCOL, type Request } from "@keyhearth/engine/core/protocol";
import { beforeAll, expect, test } from "vitest";
import { StartError } from "../config/start-error.ts";
import { startTestServer, type TestServer } from "../testing.ts";
import { describeSigner } from "./open-signer.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

/** Starts with the signer of the test, whose messages, or those to it, are those of another release. */
function startWith({
  changeRequest = (request) => request,
  changeAnswer = (answer) => answer,
}: {
  changeRequest?: (request: Request) => Request;
  changeAnswer?: (answer: Answer) => Answer;
}) {
  const { askSigner } = server.host;
  return describeSigner({
    askSigner: async (request) => changeAnswer(await askSigner(changeRequest(request))),
  });
}

test("a service and a signer of one release speak the same protocol", async () => {
  expect(await startWith({})).toMatchObject({ kind: "description", protocol: PROTOCOL });
});

test("a signer tells a service of another release which of them is the older one", async () => {
  const startAs = (protocol: number) =>
    startWith({ changeRequest: (request) => ({ ...request, protocol }) as Request });
  await expect(startAs(PROTOCOL + 1)).rejects.toThrow(
    new StartError(
      `the signer refuses to work: the service speaks protocol ${PROTOCOL + 1}, and the signer protocol ${PROTOCOL}: upgrade the signer, so that both are of one release`,
    ),
  );
  await expect(startAs(PROTOCOL - 1)).rejects.toThrow(
    new StartError(
      `the signer refuses to work: the service speaks protocol ${PROTOCOL - 1}, and the signer protocol ${PROTOCOL}: upgrade the service, so that both are of one release`,
    ),
  );
});

test("a service refuses a signer of a release that says another number, or none", async () => {
  const startWithSignerOf = (protocol: number | undefined) =>
    startWith({ changeAnswer: (answer) => ({ ...answer, protocol }) as Answer });
  await expect(startWithSignerOf(PROTOCOL + 1)).rejects.toThrow(/upgrade the service/);
  await expect(startWithSignerOf(undefined)).rejects.toThrow(
    new StartError(
      `the service speaks protocol ${PROTOCOL}, and the signer protocol 0: upgrade the signer, so that both are of one release`,
    ),
  );
});
