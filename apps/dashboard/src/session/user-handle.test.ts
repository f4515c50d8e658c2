import { expect, test } from "vitest";
import { organizationOfHandle, userHandle } from "./user-handle.ts";

const organizationId = "2a1f0c3e-0000-4000-8000-00000000abcd";
const id = "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e";

test("a handle leads to its organization, and others to none", () => {
  const handle = userHandle(organizationId);
  expect(handle).toHaveLength(32);
  expect(organizationOfHandle(handle.slice().buffer as ArrayBuffer)).toBe(organizationId);
  expect(organizationOfHandle(new ArrayBuffer(16))).toBeUndefined();
  expect(organizationOfHandle(new TextEncoder().encode(id).buffer)).toBeUndefined();
  expect(organizationOfHandle(null)).toBeUndefined();
});

test("no two passkeys have the same handle, so none replaces another", () => {
  expect(userHandle(organizationId)).not.toEqual(userHandle(organizationId));
});
