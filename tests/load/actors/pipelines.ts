import { type Actor, type Attack, addressIn, repeat } from "../attack.ts";
import { closedWithin, dial } from "../line.ts";

const paths = ["/readyz", "/public/v1/discovery/webhooks/jwks"];

/** After the service has ended a connection. */
const PAUSE_MS = 500;

/** Requests ahead of their answers, 645 KiB to 3 MB of them on each connection. */
export const pipelines: Actor = (attack) =>
  Promise.all(paths.map((path) => repeat(attack, () => pipeline(attack, path), PAUSE_MS)));

async function pipeline(attack: Attack, path: string): Promise<string> {
  const address = addressIn("203.0.113", attack);
  const request = `GET ${path} HTTP/1.1\r\nHost: keyhearth.test\r\nX-Forwarded-For: ${address}\r\n\r\n`;
  const bytes = attack.random.pick([645 * 1024, 3_000_000]);
  const socket = await dial(attack.world.url);
  socket.resume();
  socket.write(request.repeat(bytes / request.length));
  await closedWithin(socket, 10_000);
  const outcome = socket.destroyed ? "cut" : "kept";
  socket.destroy();
  return outcome;
}
