import { expect, test } from "vitest";
import { createInvitationProof } from "../crypto.ts";

const given = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  invitationId: "d2849397-f1eb-4bf5-80c5-748192a3b4c5",
  token: "AAECAwQFBgcICQoLDA0ODw",
  attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oA",
};

test("the proof of the published example is what the API reference shows", () => {
  expect(createInvitationProof(given)).toBe("-Lo_MwrgDXhNw84yd-uLWNa4XdNfRkp-PVwQ5u17fWU");
});

test.each([
  ["token", "AAECAwQFBgcICQoLDA0ODx"],
  ["token", "AAECAwQFBgcICQoLDA0ODw=="],
  ["token", ""],
  ["token", undefined],
  ["organizationId", "acme"],
  ["organizationId", "5F7C0C6A-1F2A-4F0E-9D2C-8B8F0A4F1C11"],
  ["invitationId", undefined],
  ["attestationObject", "o2Nm="],
  ["attestationObject", ""],
])("a %s that is %o is refused by field, and not shown", (field, value) => {
  const call = () => createInvitationProof({ ...given, [field]: value } as typeof given);
  expect(call).toThrow(expect.objectContaining({ name: "InvalidField", field }));
  if (value)
    expect(call).toThrow(expect.objectContaining({ message: expect.not.stringContaining(value) }));
});
