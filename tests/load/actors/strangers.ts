import { openConnection } from "../../../bench/connection.ts";
import { httpRequest, newApiKey, stamperOf } from "../../../bench/requests.ts";
import { type Actor, type Attack, sleep } from "../attack.ts";

const CONNECTIONS = 200;
const ADDRESSES = 50;

/** Small queries with the stamp of a key that nobody has registered, as fast as they are answered. */
export const strangers: Actor = (attack) => {
  const connections = Array.from({ length: CONNECTIONS }, (_, i) => i);
  return Promise.all(connections.map((i) => ask(attack, i)));
};

async function ask(attack: Attack, i: number): Promise<void> {
  const body = JSON.stringify({ organizationId: attack.world.rootOrganizationId });
  const key = newApiKey();
  const stamp = stamperOf(key.privateKey)(body);
  const request = httpRequest("/public/v1/query/whoami", body, stamp, `203.0.113.${i % ADDRESSES}`);
  while (!attack.isOver()) {
    try {
      const connection = await openConnection(attack.world.url);
      while (!attack.isOver()) attack.note((await connection.send(request)).status);
      connection.close();
    } catch {
      attack.note("lost");
      await sleep(100);
    }
  }
}
