import { GCProfiler } from "node:v8";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import { createTestCore, documentWith, newPerson, proposed, userOf } from "../core/core.testing.ts";
import { ethereumAccount } from "../organization.testing.ts";

test("what a signature needs is gone once it is answered, and does not wait for a collection of the whole heap", () => {
  const core = createTestCore();
  const ada = newPerson();
  const document = core.notarized(
    documentWith({ users: [userOf(ada)], rootQuorum: { threshold: 1, userIds: [ada.userId] } }),
  );
  const wallet = core.ask(
    ada,
    {
      endpoint: "create_wallet",
      body: core.bodyOf({
        type: "ACTIVITY_TYPE_CREATE_WALLET",
        parameters: { walletName: "treasury", accounts: [ethereumAccount] },
      }),
    },
    [document],
  );
  const { activity, proposal } = proposed(wallet);
  const [signWith] = (activity.result?.addresses ?? []) as string[];
  const [, ...records] = proposal.attachments;
  const sign = () => {
    const parameters = {
      signWith,
      payload: encodeHex(randomBytes(32)),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    };
    const body = core.bodyOf({ type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters });
    const answer = core.ask(ada, { endpoint: "sign_raw_payload", body }, records);
    expect(answer.kind).toBe("proposal");
  };
  for (let i = 0; i < 1000; i++) sign();

  const profiler = new GCProfiler();
  profiler.start();
  for (let i = 0; i < 4000; i++) sign();
  const collections = profiler.stop()?.statistics.filter(({ gcType }) => gcType === "Scavenge");
  const used = ({
    heapSpaceStatistics: spaces,
  }: NonNullable<typeof collections>[number]["afterGC"]) =>
    spaces.find(({ spaceName }) => spaceName === "new_space")?.spaceUsedSize ?? Number.NaN;
  const shares = (collections ?? []).map(({ beforeGC, afterGC }) => used(afterGC) / used(beforeGC));
  expect(shares.length).toBeGreaterThan(3);
  // It was a seventh of all that was made.
  const median = shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)];
  expect(median).toBeLessThan(0.04);
});
