import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type FeedbackFilter,
  insertPageFeedback,
  type PageFeedback,
} from "../store/page-feedback.ts";
import { appOf, fromThisMachine, startTestServer, type TestServer } from "../testing.ts";
import { makeFeedbackAccess, queryOf, readFeedbackAccess } from "./access.ts";
import { createFeedbackAnswers } from "./answers.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const said: PageFeedback = {
  feedbackId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  page: "/concepts/wallets",
  isHelpful: false,
  comment: "unclear",
  createdAtMs: 1000,
};
beforeEach(async () => {
  await server.store.run("", "DELETE FROM page_feedback", []);
  await insertPageFeedback(server.store, said, 100);
});

const token = "a token";
const all: FeedbackFilter = { page: null, fromMs: 0, beforeMs: Number.MAX_SAFE_INTEGER };

type Asking = {
  method?: string;
  bearer?: string;
  from?: { remoteAddress?: string; headers?: Record<string, string> };
};

async function ask(
  filter = all,
  { method = "GET", bearer = token, from = {} }: Asking = {},
): Promise<{ status: number; body: unknown }> {
  const app = appOf(server.host, { feedbackAnswers: createFeedbackAnswers(server.host, token) });
  const headers = { ...from.headers, authorization: `Bearer ${bearer}` };
  const path = `/feedback/answers?${queryOf(filter)}`;
  const answer = await app.request(path, { method }, fromThisMachine({ ...from, headers }));
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  return { status: answer.status, body: await answer.json() };
}

test("the operator reads and deletes what the filter selects", async () => {
  expect(await ask()).toEqual({ status: 200, body: [said] });
  expect(await ask({ ...all, page: "/" })).toEqual({ status: 200, body: [] });
  expect(await ask({ ...all, fromMs: 1001 })).toEqual({ status: 200, body: [] });
  const method = "DELETE";
  expect(await ask({ ...all, beforeMs: 1000 }, { method })).toMatchObject({ body: { deleted: 0 } });
  expect(await ask(all, { method })).toEqual({ status: 200, body: { deleted: 1 } });
  expect(await ask()).toEqual({ status: 200, body: [] });
  expect(await ask(all, { method: "POST" })).toMatchObject({ status: 405 });
});

test("nobody else does: without the token, or from another machine", async () => {
  const proxied = { headers: { "x-forwarded-for": "203.0.113.7" } };
  const elsewhere = { remoteAddress: "203.0.113.7" };
  for (const options of [{ bearer: "another" }, { from: proxied }, { from: elsewhere }]) {
    for (const method of ["GET", "DELETE"]) {
      expect(await ask(all, { ...options, method })).toMatchObject({ status: 403 });
    }
  }
  expect(await ask()).toEqual({ status: 200, body: [said] });
});

test("each start writes another token, for its user only", () => {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-access-"));
  try {
    expect(readFeedbackAccess(directory)).toBeNull();
    const first = makeFeedbackAccess(directory, 3000);
    const second = makeFeedbackAccess(directory, 3001);
    expect(second.token).not.toBe(first.token);
    expect(readFeedbackAccess(directory)).toEqual(second);
    const path = join(directory, "feedback-access");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain("http://127.0.0.1:3001/feedback/answers");
    writeFileSync(path, "{");
    expect(readFeedbackAccess(directory)).toBeNull();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
