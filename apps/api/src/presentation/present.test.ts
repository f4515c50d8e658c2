import { addUser, startWaiting } from "@keyhearth/engine/organization.testing";
import { activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { expect, test } from "vitest";
import { IN_READER } from "../reader/allowance.ts";
import { findActivityByFingerprint } from "../store/activities.ts";
import { findDocument } from "../store/organizations.ts";
import { newOrganization } from "../testing.ts";
import { presentActivities } from "./present.ts";

test("an activity that can no longer be read is still shown, but nobody can vote on it", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const [ada, grace] = [await addUser(organization, "Ada"), await addUser(organization, "Grace")];
  await root.createPolicy({
    policyName: "two of us",
    effect: "EFFECT_ALLOW",
    consensus: "approvers.count() >= 2",
  });
  const { fingerprint } = await startWaiting(ada.client, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "treasury", accounts: [] },
  });
  const { db } = server.store;
  const found = await findActivityByFingerprint(db, organizationId, fingerprint);
  const stored = await findDocument(db, organizationId);
  const viewer = stored?.document.users.find(({ userId }) => userId === grace.userId);
  if (!found || !stored || !viewer) throw new Error("what was made is not there");
  const waiting = upcast(activityKind, readRecord(found.bytes));
  const refused = {
    ...waiting,
    votes: waiting.votes.map((vote) => ({
      ...vote,
      message: vote.message?.replace("treasury", "\\n") ?? null,
    })),
  };
  const activities = [waiting, refused];
  const { interfaces } = server.host;
  const warn = () => {};
  const viewed = { activities, stored, viewer, interfaces, warn, nowMs: Date.now() };
  const shown = await presentActivities(db, { ...viewed, allowance: IN_READER });
  expect(shown.map(({ canApprove }) => canApprove)).toEqual([true, false]);
});
