import { expect, test } from "vitest";
import { createFindPointer } from "./pointers.ts";

const rowOf = (organizationId: string, version: number) => ({
  organization_id: organizationId,
  version: String(version),
  digest: `digest ${version}`,
});

/** A database whose statements end when the test says so. */
function slowDatabase() {
  const asked: { ids: string[]; end: PromiseWithResolvers<Record<string, unknown>[]> }[] = [];
  const run = (_: string, __: string, [ids]: unknown[]) => {
    const end = Promise.withResolvers<Record<string, unknown>[]>();
    asked.push({ ids: ids as string[], end });
    return end.promise;
  };
  return { asked, run };
}

test("those who ask while two statements are under way share the next one, which begins after them", async () => {
  const { asked, run } = slowDatabase();
  const find = createFindPointer({ run });
  const first = find("a");
  const second = find("a");
  const later = ["a", "b", "b", "c"].map(find);
  expect(asked.map(({ ids }) => ids)).toEqual([["a"], ["a"]]);

  asked[1]?.end.resolve([rowOf("a", 2)]);
  expect(await second).toEqual({ version: 2, digest: "digest 2" });
  expect(asked.map(({ ids }) => ids)).toEqual([["a"], ["a"], ["a", "b", "c"]]);
  asked[2]?.end.resolve([rowOf("a", 3), rowOf("b", 7)]);
  expect((await Promise.all(later)).map((each) => each?.version)).toEqual([3, 7, 7, undefined]);
  // One that hangs keeps nobody but those that it was for.
  const last = find("b");
  asked[3]?.end.resolve([rowOf("b", 8)]);
  expect((await last)?.version).toBe(8);
  asked[0]?.end.resolve([rowOf("a", 1)]);
  expect((await first)?.version).toBe(1);
});

test("a statement that fails fails those who share it, and no other", async () => {
  const { asked, run } = slowDatabase();
  const find = createFindPointer({ run });
  const answers = [find("a"), find("b")];
  const shared = [find("c"), find("d")];
  asked[0]?.end.resolve([rowOf("a", 1)]);
  await answers[0];
  asked[2]?.end.reject(new Error("lost"));
  for (const each of shared) await expect(each).rejects.toThrow("lost");
  asked[1]?.end.resolve([rowOf("b", 1)]);
  expect((await answers[1])?.version).toBe(1);
});

test("a statement asks for a hundred at most", async () => {
  const { asked, run } = slowDatabase();
  const find = createFindPointer({ run });
  const all = Array.from({ length: 205 }, (_, each) => find(`organization ${each}`));
  for (let at = 0; at < 5; at++) {
    asked[at]?.end.resolve(asked[at]?.ids.map((id) => rowOf(id, 1)) ?? []);
    await Promise.resolve();
    await new Promise(setImmediate);
  }
  expect(asked.map(({ ids }) => ids.length)).toEqual([1, 1, 100, 100, 3]);
  expect(await Promise.all(all)).toHaveLength(205);
});
