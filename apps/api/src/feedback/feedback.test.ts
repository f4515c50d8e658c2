import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { createApp } from "../app.ts";
import { createClientAddress, createRateLimit } from "../host/rate-limit.ts";
import { startPruning } from "../jobs/prune.ts";
import { createLog } from "../observability/log.ts";
import { deletePageFeedback, listPageFeedback } from "../store/page-feedback.ts";
import { appOf, startTestServer, type TestServer } from "../testing.ts";
import { createFeedback } from "./feedback.ts";
import { formatReport, readReportOptions } from "./report.ts";

const publicUrl = "https://docs.example.com";
const everything = { page: null, fromMs: 0, beforeMs: Number.MAX_SAFE_INTEGER };
const good = { page: "/concepts/wallets", helpful: true, text: "Clear, thank you." };

let server: TestServer;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

beforeEach(async () => {
  await server.store.run("", "DELETE FROM page_feedback", []);
  const { host } = server;
  const clientAddress = createClientAddress([]);
  app = appOf(host, {
    clientAddress,
    feedback: createFeedback({
      host,
      publicUrl,
      clientAddress,
      newRateLimit: (allowance) => createRateLimit({ ...allowance, burst: 1000 }),
    }),
  });
});

function post(body: unknown, headers: Record<string, string> = {}) {
  return app.request(`${publicUrl}/feedback`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { origin: publicUrl, "content-type": "application/json", ...headers },
  });
}

const stored = () => listPageFeedback(server.store, everything);

test("an answer is stored with its text, and its answer is empty", async () => {
  const response = await post(good);
  expect([response.status, await response.text()]).toEqual([204, ""]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await stored()).toEqual([
    {
      feedbackId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      page: "/concepts/wallets",
      isHelpful: true,
      comment: "Clear, thank you.",
      createdAtMs: expect.closeTo(Date.now(), -4),
    },
  ]);
});

test.each([
  [{ page: "/", helpful: false }, null],
  [{ page: "/sdks/Ruby", helpful: false, text: null }, null],
  [{ page: "/es/sdks/swift/", helpful: false, text: " \n " }, null],
  [{ page: "/0.1/faq", helpful: false, text: " two\n lines 👩‍🚀 " }, "two\n lines 👩‍🚀"],
  [
    { page: "/faq", helpful: false, text: "'); DROP TABLE page_feedback; --" },
    "'); DROP TABLE page_feedback; --",
  ],
  [
    { page: "/faq", helpful: false, text: "<script>alert(1)</script>" },
    "<script>alert(1)</script>",
  ],
])("%j is stored with the text %j", async (body, comment) => {
  expect((await post(body)).status).toBe(204);
  expect(await stored()).toMatchObject([{ page: body.page, isHelpful: false, comment }]);
});

type Problem = { code: string; field?: string; message?: string };

async function problemsOf(response: Response): Promise<{ message: string; problems: Problem[] }> {
  expect(response.headers.get("content-type")).toBe("application/json");
  const { message, details } = await response.json();
  return { message, problems: details };
}

test("every wrong field is named at once, with what is accepted", async () => {
  const body = { page: "concepts wallets", helpful: "yes", text: 7, email: "a@example.com" };
  const response = await post(body);
  expect(response.status).toBe(400);
  const { message, problems } = await problemsOf(response);
  expect(problems.map(({ code, field }) => [code, field])).toEqual(
    expect.arrayContaining([
      ["FIELD_INVALID", "page"],
      ["FIELD_INVALID", "helpful"],
      ["FIELD_INVALID", "text"],
      ["FIELD_UNKNOWN", "email"],
    ]),
  );
  expect(message).toContain("not the path of a page, such as /concepts/wallets");
  expect(message).toContain("expected true or false");
  expect(message).toContain("accepted: page, helpful, text");
  expect(await stored()).toEqual([]);
});

test("missing fields are named", async () => {
  const { problems } = await problemsOf(await post({}));
  expect(problems.map(({ field }) => field)).toEqual(["page", "helpful"]);
});

test.each([
  "",
  "wallets",
  "//example.com",
  "/a//b",
  "/a b",
  "/a?b",
  "/a#b",
  "/a\\b",
  "/\u0000",
  "/ü",
  "https://docs.example.com/faq",
  "/<script>",
  "/a\nb",
  `/${"a".repeat(200)}`,
])("%j is no page", async (page) => {
  const response = await post({ page, helpful: true });
  expect(response.status).toBe(400);
  const { problems } = await problemsOf(response);
  expect(problems).toMatchObject([{ code: "FIELD_INVALID", field: "page" }]);
});

test.each(["a\u0000b", "a\u001b[2Jb", "a\u202eb", "a\u2028b", "x".repeat(1001)])(
  "the text %j is refused, and not repeated",
  async (text) => {
    const response = await post({ ...good, text });
    expect(response.status).toBe(400);
    const { message, problems } = await problemsOf(response);
    expect(problems).toMatchObject([{ code: "FIELD_INVALID", field: "text" }]);
    expect(message).toContain(`a text of ${text.length} characters`);
    expect(message).not.toContain(text.slice(0, 10));
  },
);

test.each([
  ["", "it is empty"],
  ["{", "it ends too early"],
  ["[]", "expected a JSON object"],
  ["null", "expected a JSON object"],
  ['"text"', "expected a JSON object"],
  ['{"page":"/","page":"/faq","helpful":true}', "given twice"],
  ['{"page":"/","helpful":true,"__proto__":{}}', "__proto__"],
  ['{"page":"/","helpful":true,"text":"\\ud800"}', "half of a surrogate pair"],
])("the body %j is refused", async (body, why) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect((await problemsOf(response)).message).toContain(why);
});

test("a body of another type is refused", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
    const response = await post(good, { "content-type": type });
    expect(response.status).toBe(400);
    expect((await problemsOf(response)).message).toContain("send application/json");
  }
  expect((await post(good, { "content-type": "application/json; charset=utf-8" })).status).toBe(
    204,
  );
});

test("other methods are refused", async () => {
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
    const response = await app.request(`${publicUrl}/feedback`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  }
});

test("without the database the sender is asked to try again, and the log has no text of the answer", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    destination: { write: (line) => void lines.push(line) },
  });
  const stopped = await startTestServer();
  await stopped.store.close();
  const host = { ...stopped.host, log };
  const clientAddress = createClientAddress([]);
  const feedback = createFeedback({ host, publicUrl, clientAddress });
  app = appOf(host, { clientAddress, feedback });
  const response = await post(good);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await response.json()).toMatchObject({ message: expect.stringMatching(/in a moment/) });
  expect(lines.join("\n")).toContain("/feedback");
  expect(lines.join("\n")).not.toContain(good.text);
  await stopped.stop();
});

test("an old answer is deleted after a year, and a newer one stays", async () => {
  const day = 24 * 60 * 60 * 1000;
  await post({ ...good, text: "newer" });
  await post({ ...good, text: "old" });
  await server.store.run("", "UPDATE page_feedback SET created_at_ms = $1 WHERE comment = 'old'", [
    Date.now() - 366 * day,
  ]);
  const pruning = startPruning(server.host, 5);
  await expect.poll(async () => (await stored()).map(({ comment }) => comment)).toEqual(["newer"]);
  await pruning.stop();
});

test("the report selects by page and by day, and lists pages with the most complaints first", async () => {
  const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
  for (const [page, helpful, text, day] of [
    ["/faq", true, "old", "2026-01-30"],
    ["/faq", false, null, "2026-01-31"],
    ["/concepts/wallets", true, "two\nlines", "2026-02-01"],
    ["/concepts/wallets", true, null, "2026-02-01"],
  ] as const) {
    await post({ page, helpful, text });
    const newest = "UPDATE page_feedback SET created_at_ms = $1 WHERE created_at_ms > $2";
    await server.store.run("", newest, [at(day), at("2026-02-02")]);
  }
  const { filter } = readReportOptions(["--from", "2026-01-31", "--before", "2026-02-02"]);
  expect(formatReport(await listPageFeedback(server.store, filter))).toBe(
    [
      "    no    yes  page",
      "     1      0  /faq",
      "     0      2  /concepts/wallets",
      "",
      "2026-02-01 12:00  yes  /concepts/wallets",
      "  | two",
      "  | lines",
      "",
    ].join("\n"),
  );
  const ofPage = readReportOptions(["--page", "/faq", "--before", "2026-01-31", "--delete"]);
  expect(ofPage.isDelete).toBe(true);
  expect(await deletePageFeedback(server.store, ofPage.filter)).toBe(1);
  expect(await stored()).toHaveLength(3);
});

test.each([
  [["--from", "yesterday"], "--from is `yesterday`; expected a day such as 2026-01-31"],
  [["--before", "2026-02-30"], "--before is `2026-02-30`"],
  [["--before", "2026-2-3"], "expected a day"],
  [["--everything"], "--everything"],
  [["faq"], "faq"],
  [["--page"], "--page"],
])("the report refuses %j", (args, why) => {
  expect(() => readReportOptions(args)).toThrow(why);
});
