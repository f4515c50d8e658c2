import { asGiven, type Given, LONGEST_PAYLOAD } from "./given.ts";
import { isAlone, obstacleOf, originObstacleOf } from "./place.ts";
import { Refusal, refusalOf } from "./refusal.ts";

// How a frame and the page that embeds it talk. Stampers from 2.1.0 on hand over a port of a MessageChannel; those before
// send window messages, which have no ids.

type Answer = { type: string; value: unknown };

/** What a page answers, by the type of the request. */
export type Messages = Readonly<Record<string, (given: Given) => Answer | Promise<Answer>>>;

/** What the page announces: a public key, or no text. */
export type Announce = (publicKey: string) => void;

type Post = (message: Answer & { requestId?: string }) => void;

/** While so many are under way, the next request is refused at once. One waits for the other, so that none sees half of another's work. */
const MOST_UNDER_WAY = 64;
const LONGEST_REQUEST_ID = 200;

export type Channel = { announce: Announce };

/**
 * Answers the requests of the embedding page, and nobody else's. `begin` makes what the page needs, and returns the key to
 * announce; with a channel it is called again, with how long a key should last.
 */
export function openChannel({
  messages,
  begin,
}: {
  messages: Messages;
  begin: (keyTtl?: unknown) => Promise<string>;
}): Channel {
  if (isAlone()) return { announce() {} };
  let obstacle = obstacleOf();
  let underWay = 0;
  let last: Promise<unknown> = Promise.resolve();
  // Whom an announcement is for. A public key is not secret.
  let post: Post = (message) => window.parent.postMessage(message, "*");

  function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  function announce(value: string, to = post) {
    to({ type: "PUBLIC_KEY_READY", value });
  }

  /** A frame that may or can do nothing announces no key, so that nobody waits for one: each request says why. */
  function announceFirst(keyTtl?: unknown) {
    const to = post;
    const value = obstacle === undefined ? inTurn(() => begin(keyTtl)) : Promise.resolve("");
    value.then(
      (publicKey) => announce(publicKey, to),
      () => announce("", to),
    );
  }

  async function answer(given: Given, reply: Post) {
    const requestId = requestIdOf(given);
    const send = (message: Answer) =>
      reply({ ...message, ...(requestId !== undefined && { requestId }) });
    try {
      const respond = assertKnown(given, messages, obstacle);
      if (underWay >= MOST_UNDER_WAY) {
        throw new Refusal(
          `${MOST_UNDER_WAY} requests are under way in this frame; wait for their answers, then send it again`,
        );
      }
      underWay++;
      try {
        send(await inTurn(() => respond(given)));
      } finally {
        underWay--;
      }
    } catch (error) {
      send({ type: "ERROR", value: refusalOf(error).message });
    }
  }

  function receive(event: MessageEvent) {
    if (event.source !== window.parent) return;
    const given = asGiven(event.data);
    if (given?.type === "TURNKEY_INIT_MESSAGE_CHANNEL") {
      const [port] = event.ports;
      if (!port) return;
      // The first one counts, and nothing else from now on.
      window.removeEventListener("message", receive);
      obstacle ??= originObstacleOf(event.origin);
      post = (message) => port.postMessage(message);
      port.onmessage = ({ data }) => void answer(asGiven(data) ?? {}, post);
      announceFirst(given.dangerouslyOverrideIframeKeyTtl);
      return;
    }
    // Pages and their tools send each other all kinds of messages.
    if (!given || typeof given.type !== "string" || !/^[A-Z_]{1,64}$/.test(given.type)) return;
    obstacle ??= originObstacleOf(event.origin);
    // A page without an origin can be named by none. It is listed nowhere, so it gets a refusal.
    const to = event.origin === "null" ? "*" : event.origin;
    void answer(given, (message) => window.parent.postMessage(message, to));
  }

  window.addEventListener("message", receive);
  announceFirst();
  return { announce: (publicKey) => announce(publicKey) };
}

function requestIdOf({ requestId }: Given): string | undefined {
  return typeof requestId === "string" && requestId.length <= LONGEST_REQUEST_ID
    ? requestId
    : undefined;
}

/** What answers the request, or a refusal that needs no turn. */
function assertKnown(given: Given, messages: Messages, obstacle: string | undefined) {
  if (obstacle !== undefined) throw new Refusal(obstacle);
  const { type, requestId } = given;
  if (typeof type !== "string" || !Object.hasOwn(messages, type)) {
    const known = Object.keys(messages).join(", ");
    throw new Refusal(`this page has no answer to this type of message; it takes ${known}`);
  }
  if (requestId !== undefined && requestIdOf(given) === undefined) {
    throw new Refusal(`requestId must be text of at most ${LONGEST_REQUEST_ID} characters`);
  }
  const { value } = given;
  if (typeof value === "string" && value.length > LONGEST_PAYLOAD) {
    throw new Refusal(
      `value has ${value.length} characters; it must be text of 1 to ${LONGEST_PAYLOAD} characters`,
    );
  }
  // A member of its own.
  return messages[type] as Messages[string];
}
