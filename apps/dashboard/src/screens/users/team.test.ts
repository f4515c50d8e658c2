import type { Tag } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { tagOptionsOf } from "./team.ts";

test("a form shows every tag that it sends, also one that the service does not list", () => {
  const at = { seconds: "0", nanos: "0" };
  const staff: Tag = {
    ...{ tagId: "t1", tagName: "Staff", tagType: "TAG_TYPE_USER", createdAt: at, updatedAt: at },
  };
  expect(tagOptionsOf({ tags: [staff] }, ["t1", "t2"])).toEqual([
    { id: "t1", label: "Staff" },
    { id: "t2", label: "A tag that is not listed: t2" },
  ]);
});
