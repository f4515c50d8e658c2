import { randomBytes } from "node:crypto";
import type { KeyhearthClient } from "@keyhearth/sdk";
import type { RootKey } from "../tests/start/process.ts";
import type { AttackName, AttackResult, AttackTask } from "./attack-names.ts";
import { apiKeyParams, clientOf } from "./client.ts";
import { type Connection, openConnection } from "./connection.ts";
import { httpRequest, newApiKey, stamperOf, subOrganizationBody } from "./requests.ts";

/** The process that attacks. `bench/attack-names.ts` has its tasks. */

type Member = {
  organizationId: string;
  privateKey: string;
  publicKey: string;
  userId: string;
  policyId: string;
};

/** Four organizations whose documents are nearly full of policies, each with a user without any. */
type Filled = { root: Member; clerk: Member };
let filled: Filled[] = [];

process.on("message", async (task: AttackTask) => {
  try {
    if ("prepare" in task) {
      filled = await Promise.all([1, 2, 3, 4].map(() => fill(task.prepare)));
      process.send?.({ result: { statuses: {} } });
    } else {
      process.send?.({ result: await attack(task) });
    }
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});

/** One connection of an attack: the next request, and how long to wait after its answer. */
type Line = { next: () => Buffer; pauseMs: number };

function linesOf(name: AttackName): Line[] {
  const [first, ...others] = filled as [Filled, ...Filled[]];
  switch (name) {
    case "policies":
      return [0, 1].map(() => ({ next: () => changeOf(first.root), pauseMs: 0 }));
    case "slow changes":
      return [first, ...others].map(({ root }) => ({ next: () => changeOf(root), pauseMs: 100 }));
    case "unknown keys": {
      // Stamping a megabyte takes longer than sending it.
      const prepared = Array.from({ length: 8 }, () => stranger());
      let sent = 0;
      const next = () => prepared[sent++ % prepared.length] as Buffer;
      return [0, 1].map(() => ({ next, pauseMs: 0 }));
    }
    case "filling":
      return [0, 1].map(() => ({ next: () => ownKey(first.clerk), pauseMs: 0 }));
  }
}

async function attack({
  attack: name,
  url,
  seconds,
}: {
  attack: AttackName;
  url: string;
  seconds: number;
}): Promise<AttackResult> {
  const statuses: Record<string, number> = {};
  const endAt = performance.now() + seconds * 1000;
  await Promise.all(
    linesOf(name).map(async ({ next, pauseMs }) => {
      let connection: Connection | null = null;
      while (performance.now() < endAt) {
        try {
          connection ??= await openConnection(url);
          const { status } = await connection.send(next());
          statuses[status] = (statuses[status] ?? 0) + 1;
        } catch {
          statuses.lost = (statuses.lost ?? 0) + 1;
          connection?.close();
          connection = null;
        }
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      connection?.close();
    }),
  );
  return { statuses };
}

function requestOf(
  { organizationId, privateKey }: Member,
  endpoint: string,
  type: string,
  parameters: object,
): Buffer {
  const timestampMs = String(Date.now());
  const body = JSON.stringify({ type, timestampMs, organizationId, parameters });
  return httpRequest(`/public/v1/submit/${endpoint}`, body, stamperOf(privateKey)(body));
}

/** Changes the document: a policy gets another note. */
function changeOf(root: Member): Buffer {
  return requestOf(root, "update_policy", "ACTIVITY_TYPE_UPDATE_POLICY_V2", {
    policyId: root.policyId,
    policyNotes: randomBytes(4).toString("hex"),
  });
}

/** A user without permissions adds another key of its own that expires soon. */
function ownKey(clerk: Member): Buffer {
  return requestOf(clerk, "create_api_keys", "ACTIVITY_TYPE_CREATE_API_KEYS_V2", {
    userId: clerk.userId,
    apiKeys: [{ ...apiKeyParams(newApiKey().publicKey), expirationSeconds: "1" }],
  });
}

/** A megabyte of small objects, stamped by a key that is registered nowhere. */
function stranger(): Buffer {
  const { privateKey, publicKey } = newApiKey();
  const organizationId = filled[0]?.root.organizationId ?? "";
  const parameters = { list: Array.from({ length: 110_000 }, () => ({ a: 1 })) };
  const member = { organizationId, privateKey, publicKey, userId: "", policyId: "" };
  const request = requestOf(member, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", parameters);
  return request;
}

async function fill({ url, root }: { url: string; root: RootKey }): Promise<Filled> {
  const parent = clientOf(url, root.organizationId, {
    publicKey: root.apiPublicKey,
    privateKey: root.apiPrivateKey,
  });
  const key = newApiKey();
  const { parameters } = JSON.parse(subOrganizationBody(root.organizationId, key.publicKey));
  const { subOrganizationId: organizationId, rootUserIds } =
    await parent.createSubOrganization(parameters);
  const client = clientOf(url, organizationId, key);
  const clerkKey = newApiKey();
  const { userIds } = await client.createUsers({
    users: [
      {
        userName: "Clerk",
        apiKeys: [apiKeyParams(clerkKey.publicKey)],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  const policyId = await fillWithPolicies(client);
  return {
    root: { organizationId, ...key, userId: rootUserIds?.[0] ?? "", policyId },
    clerk: { organizationId, ...clerkKey, userId: userIds[0] ?? "", policyId },
  };
}

/** Until a limit is reached, with a little room for the changes that follow. */
async function fillWithPolicies(client: KeyhearthClient): Promise<string> {
  let first = "";
  for (let batch = 0; batch < 50; batch++) {
    const created = await client
      .createPolicies({
        policies: Array.from({ length: 5 }, (_, index) => ({
          policyName: `policy ${batch}.${index}`,
          effect: "EFFECT_ALLOW" as const,
          condition: Array.from({ length: 800 }, (_, i) => `${batch}${i}==${index}`).join("||"),
          notes: "",
        })),
      })
      .catch(() => null);
    if (!created) break;
    first ||= created.policyIds[0] ?? "";
  }
  return first;
}
