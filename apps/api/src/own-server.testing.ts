import { onTestFinished } from "vitest";
import { startTestServer, type TestServer } from "./testing.ts";

/** A server for one test, which may move its clock. It stops with the test. */
export async function ownServer(): Promise<TestServer> {
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  return server;
}
