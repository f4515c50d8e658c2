import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Description } from "@keyhearth/engine/core/protocol";
import type { SignerAddress } from "../config/signer-addresses.ts";
import { type Calls, createCalls } from "./calls.ts";
import { type SignerClient, type SignerEvent, unavailable } from "./client.ts";
import { DialError, type Dialed, type DoorIdentity, dial } from "./dial.ts";
import { type Heartbeat, type Silence, watchLink } from "./heartbeat.ts";
import type { Link } from "./link.ts";

export type SignerPlaces = {
  addresses: readonly SignerAddress[];
  /** Null if all signers are on this machine. */
  identity: DoorIdentity | null;
  onEvent: (event: SignerEvent) => void;
};

/** Of which installation the signer at an address is. */
type Installation = { id: string; at: string };

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

/** A standby takes over at any moment, so it is asked again at once, while other addresses may give no answer. */
const STANDBY_DELAY_MS = 250;
const STANDBY_ROUND_MS = 1500;

/** With another address, calls wait for longer: it takes two seconds to notice that a machine is gone. */
const HOLD_AMONG_SEVERAL_MS = 10_000;

/**
 * Connects to a signer process, and connects again whenever the connection is lost. In the meantime
 * new requests get 503 at once.
 *
 * Of several addresses it uses one at a time: the first whose signer describes itself and is not a standby. At first it
 * waits for what all of them say, so that a wrong one is noticed at the start. Later the fastest wins.
 */
export function connectToSigner(places: SignerPlaces): SignerClient {
  return new SignerConnection(places);
}

class SignerConnection implements SignerClient {
  readonly path: string;
  readonly #places: SignerPlaces;
  readonly #calls: Calls;
  #link: Link | null = null;
  #heartbeat: Heartbeat | null = null;
  #attempts = new AbortController();
  /** Decides in the place of the signer in use, which has said nothing for a while. */
  #successor: Dialed | null = null;
  #isLooking = false;
  #delayMs = FIRST_DELAY_MS;
  #isClosing = false;
  /** Of the signer that was found first. Every other one has to be of the same installation. */
  #installation: Installation | null = null;
  #isStarting = true;
  #refusal: string | null = null;
  /** What was wrong with an address the last time, by its text. */
  readonly #problems = new Map<string, string>();

  constructor(places: SignerPlaces) {
    const { addresses } = places;
    this.#places = places;
    this.path = addresses.map(placeOf).join(", ");
    const holdMs = addresses.length > 1 ? HOLD_AMONG_SEVERAL_MS : undefined;
    this.#calls = createCalls((frame) => this.#link?.write(frame), { holdMs });
    void this.#connect();
  }

  call: SignerClient["call"] = (request, organizationId, familyId) =>
    this.#link
      ? this.#calls.call(request, organizationId, familyId)
      : Promise.reject(unavailable("the signer cannot be reached"));

  depth = () => this.#calls.depth();

  refusal = () => this.#refusal;

  problems = () =>
    this.#places.addresses
      .map((address) => `${address.text} (${wordsFor(this.#problems.get(address.text))})`)
      .join(", ");

  close = async () => {
    this.#isClosing = true;
    this.#attempts.abort();
    this.#heartbeat?.stop();
    this.#link?.destroy();
    this.#calls.stop();
  };

  async #connect() {
    this.#attempts = new AbortController();
    const { signal } = this.#attempts;
    const attempts = this.#places.addresses.map((address) => this.#try(address, signal));
    const found = this.#isStarting
      ? this.#choose(await Promise.all(attempts))
      : await race(attempts);
    // Those that lost the race may still be under way.
    this.#attempts.abort();
    if (this.#isClosing) return found?.link.destroy();
    if (found) return this.#use(found);
    if (this.#refusal === null) this.#connectLater();
  }

  #connectLater() {
    setTimeout(() => void this.#connect(), this.#delayMs).unref();
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }

  async #try(address: SignerAddress, signal: AbortSignal): Promise<Dialed | null> {
    const until = performance.now() + STANDBY_ROUND_MS;
    try {
      while (true) {
        const dialed = await dial(address, this.#places.identity, signal);
        const problem = this.#strangeness(dialed) ?? (isStandby(dialed.answer) ? "STANDBY" : null);
        this.#note(address, problem);
        // At the start, a standby shows that it is of the same installation.
        if (problem === null || this.#isStarting) return dialed;
        dialed.link.destroy();
        if (problem !== "STANDBY" || performance.now() > until) return null;
        await delay(STANDBY_DELAY_MS, undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof DialError)) throw error;
      if (this.#isStarting) this.#refusal ??= error.refusal;
      this.#note(address, error.refusal ?? error.code);
    }
    return null;
  }

  /** Once for each address, until something else is wrong with it. */
  #note(address: SignerAddress, problem: string | null) {
    if (problem === null) return void this.#problems.delete(address.text);
    if (this.#problems.get(address.text) === problem) return;
    this.#problems.set(address.text, problem);
    if (problem === "STANDBY" || this.#isClosing) return;
    this.#places.onEvent({ event: "signer not there", path: placeOf(address), code: problem });
  }

  #strangeness({ address, answer }: Dialed): string | null {
    const known = this.#installation;
    if (answer.kind !== "description" || !known || answer.installationId === known.id) return null;
    return differ(known, { id: answer.installationId, at: address.text });
  }

  /** The first in the order of the addresses, if all that answer are of one installation. */
  #choose(tried: readonly (Dialed | null)[]): Dialed | null {
    const dialed = tried.filter((each) => each !== null);
    const described = dialed.flatMap(({ address, answer }) =>
      answer.kind === "description" ? [{ ...answer, at: address.text }] : [],
    );
    this.#refusal ??= whyNotTogether(described);
    const chosen = this.#refusal === null ? best(dialed) : null;
    for (const each of dialed) if (each !== chosen) each.link.destroy();
    return chosen;
  }

  #use({ address, link, answer }: Dialed) {
    const { addresses, onEvent } = this.#places;
    if (answer.kind === "description") {
      this.#installation ??= { id: answer.installationId, at: address.text };
    }
    this.#isStarting = false;
    this.#link = link;
    this.#delayMs = FIRST_DELAY_MS;
    let silence: Silence | null = null;
    const leave = (which: Silence) => {
      silence = which;
      link.destroy();
    };
    if (address.kind === "tls" || addresses.length > 1) {
      this.#heartbeat = watchLink(link, address, {
        onPause: () => void this.#lookElsewhere(address, link, () => leave("hangs")),
        onSilence: leave,
      });
    }
    onEvent({ event: "signer connected", ...(addresses.length > 1 && { path: address.text }) });
    this.#calls.open();
    link.handTo({
      onFrame: this.#calls.receive,
      onClose: () => this.#lose(silence),
    });
  }

  /**
   * A signer that is busy says nothing for a while, and so does one that hangs. If another one decides meanwhile, this one
   * no longer does, and need not be waited for.
   */
  async #lookElsewhere(address: SignerAddress, link: Link, leave: () => void) {
    if (this.#isLooking || this.#successor) return;
    this.#isLooking = true;
    this.#attempts = new AbortController();
    const { signal } = this.#attempts;
    const others = this.#places.addresses.filter((each) => each !== address);
    const found = await race(others.map((each) => this.#try(each, signal)));
    this.#isLooking = false;
    if (!found) return;
    if (this.#link !== link || this.#isClosing || !hasTakenOver(found.answer)) {
      return found.link.destroy();
    }
    this.#successor = found;
    leave();
  }

  #lose(silence: Silence | null) {
    this.#heartbeat?.stop();
    this.#heartbeat = null;
    this.#attempts.abort();
    this.#link = null;
    // No request makes a machine vanish.
    const killer = this.#isClosing || silence === "gone" ? null : this.#calls.suspect();
    this.#places.onEvent({
      event: "signer disconnected",
      organizationId: killer ?? undefined,
      ...(silence && { silence }),
    });
    this.#calls.lose("the connection to the signer was lost", killer);
    const successor = this.#successor;
    this.#successor = null;
    if (this.#isClosing) successor?.link.destroy();
    else if (successor) this.#use(successor);
    else this.#connectLater();
  }
}

/** One that works, or else one that says what keeps it from working. */
function best(dialed: readonly Dialed[]): Dialed | null {
  const working = dialed.find(({ answer }) => answer.kind === "description" && !answer.isStandby);
  return working ?? dialed.find(({ answer }) => !isStandby(answer)) ?? null;
}

/** The first that works. One that only says what keeps it from working waits for the others. */
function race(attempts: readonly Promise<Dialed | null>[]): Promise<Dialed | null> {
  const { promise, resolve } = Promise.withResolvers<Dialed | null>();
  let winner: Dialed | null = null;
  const spare: Dialed[] = [];
  const each = attempts.map(async (attempt) => {
    const dialed = await attempt;
    if (!dialed) return;
    if (!winner && dialed.answer.kind === "description") {
      winner = dialed;
      resolve(dialed);
    } else spare.push(dialed);
  });
  void Promise.all(each).then(() => {
    winner ??= spare.shift() ?? null;
    for (const { link } of spare) link.destroy();
    resolve(winner);
  });
  return promise;
}

function isStandby(answer: Answer): boolean {
  return answer.kind === "description" && answer.isStandby === true;
}

/** Only where signers share their marks, one knows that the others have ceased to decide. */
function hasTakenOver(answer: Answer): boolean {
  return answer.kind === "description" && answer.isStandby === false;
}

type Described = Description & { at: string };

/** Why no more than one of these signers may be there. Null if they can be those of one installation. */
function whyNotTogether(all: readonly Described[]): string | null {
  const [first] = all;
  if (!first) return null;
  const stranger = all.find(({ installationId }) => installationId !== first.installationId);
  if (stranger) {
    return differ(
      { id: first.installationId, at: first.at },
      { id: stranger.installationId, at: stranger.at },
    );
  }
  // Several addresses can lead to one process.
  const alone = all.find(({ isStandby }) => isStandby === undefined);
  const twin = alone && all.find(({ run }) => run !== alone.run);
  if (twin) {
    return `the signers at ${alone.at} and at ${twin.at} decide with copies of one state, and the one at ${alone.at} shares no marks: each would accept what the other has already replaced; stop one of them, or set KEYHEARTH_MARKS of both to one etcd cluster`;
  }
  const follower = all.find(({ history }) => history !== undefined);
  const astray = all.find(({ history }) => history !== undefined && history !== follower?.history);
  if (!follower || !astray) return null;
  return `the signers at ${follower.at} and at ${astray.at} share different marks, because their KEYHEARTH_MARKS lead to different etcd clusters; stop both, set the same cluster for both, and run \`share-marks\` on the machine of the one that decided last`;
}

function differ(one: Installation, other: Installation): string {
  return `the signers of KEYHEARTH_SIGNER are of different installations: the one at ${one.at} of ${one.id}, the one at ${other.at} of ${other.id}; name only signers of one installation`;
}

/** For the operator: a path as it is, and a URL. */
function placeOf(address: SignerAddress): string {
  return address.kind === "unix" ? address.path : address.text;
}

function wordsFor(problem: string | undefined): string {
  switch (problem) {
    case undefined:
      return "it was not asked yet";
    case "ENOTFOUND":
      return "no such host is known";
    case "ECONNREFUSED":
    case "ENOENT":
      return "nothing listens there";
    case "TIMEOUT":
      return "no answer in time";
    case "STANDBY":
      return "a standby";
    case "CLOSED":
      return "it closes the connection";
    default:
      return problem;
  }
}
