import { newKey } from "@keyhearth/api/testing";
import { heapUsed } from "@keyhearth/engine/memory/measure.testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  ask,
  deleteKey,
  expectRefused,
  makePolicy,
  newVictim,
  perform,
  resultOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Organizations share a signer and an API. No user of one can stop, slow or fill them for others.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

describe("memory", () => {
  const MB = 1024 * 1024;

  /** The text that takes the most memory and work for its length. The suffix makes each differ. */
  const dense = (suffix = "") => `1==1${"||1==1".repeat(2700)}${suffix}`;

  test("versions of a document with large policies do not pile up", async () => {
    const tenant = await newVictim(server);
    const clerk = await addUser(server, tenant);
    await fillWithPolicies(tenant);
    const before = heapUsed();
    for (let version = 0; version < 8; version++) {
      // Both change the document, and policies are asked each time, because the clerk is not root.
      const key = newKey();
      const added = await perform(server, tenant, addKey(clerk, key), clerk.key);
      const [apiKeyId] = resultOf(added, "createApiKeysResult").apiKeyIds as [string];
      await perform(server, tenant, deleteKey(clerk, apiKeyId), clerk.key);
    }
    // The compiled policies are held twice: this process is both the host and the signer.
    expect(heapUsed() - before).toBeLessThan(48 * MB);
  });

  test("a policy that is changed again and again takes no more memory each time", async () => {
    const tenant = await newVictim(server);
    const clerk = await addUser(server, tenant);
    const reply = await perform(server, tenant, makePolicy("large", "EFFECT_ALLOW", {}));
    const { policyId } = resultOf(reply, "createPolicyResult");
    const change = async (suffix: string) => {
      await perform(server, tenant, updatePolicy(policyId, dense(suffix)));
      // The policy allows it, so it is compiled each time.
      const small = makePolicy(`small ${suffix}`, "EFFECT_ALLOW", { condition: "1 == 2" });
      await perform(server, tenant, small, clerk.key);
    };
    await change("");
    const before = heapUsed();
    for (let version = 1; version < 16; version++) await change(`||${version}==1`);
    expect(heapUsed() - before).toBeLessThan(16 * MB);
  });

  test("policies that take long to compile are refused before they are parsed", async () => {
    const tenant = await newVictim(server);
    const clerk = await addUser(server, tenant);
    const policies = Array.from({ length: 55 }, (_, index) => ({
      policyName: `large ${index}`,
      effect: "EFFECT_ALLOW",
      condition: dense(`||${index}==1`),
    }));
    const attempts: Ask[] = [
      {
        endpoint: "create_policies",
        type: "ACTIVITY_TYPE_CREATE_POLICIES",
        parameters: { policies },
      },
      makePolicy("three", "EFFECT_DENY", { condition: dense(), consensus: dense("||2==2") }),
    ];
    const refused = { status: 429, reason: "LIMIT_EXCEEDED" };
    for (const what of attempts) {
      for (const key of [clerk.key, tenant.people[0].key]) {
        const attack = () => ask(server, tenant, what, key);
        await expectRefused(server, [tenant.organizationId], attack, refused);
      }
    }
    // A policy that exists does not grow beyond the limit either.
    await perform(server, tenant, makePolicy("one", "EFFECT_ALLOW", { condition: dense() }));
    const small = makePolicy("small", "EFFECT_ALLOW", { condition: "1 == 1" });
    const { policyId } = resultOf(await perform(server, tenant, small), "createPolicyResult");
    const grow = () => ask(server, tenant, updatePolicy(policyId, dense("||3==3")));
    await expectRefused(server, [tenant.organizationId], grow, refused);
  });

  /** Ten policies of the greatest length, or as many of them as the service accepts. */
  async function fillWithPolicies(tenant: Victim) {
    for (let index = 0; index < 10; index++) {
      const condition = dense(`||${index}==1`);
      await ask(server, tenant, makePolicy(`large ${index}`, "EFFECT_ALLOW", { condition }));
    }
  }

  function updatePolicy(policyId: unknown, policyCondition: string): Ask {
    return {
      endpoint: "update_policy",
      type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
      parameters: { policyId, policyCondition },
    };
  }
});
