import type { Socket } from "node:net";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import { createPace, createPlaces } from "./places.ts";

/**
 * Connections that have not proved a paired key yet. They are few, short, and begin at a pace, because a handshake takes
 * some milliseconds of the signer's time. Those from where a paired API has connected before have places and a pace
 * apart, which nobody else takes.
 */
export type Strangers = {
  /** Takes in a new connection, or closes it. What it returns is called once the connection has proved a paired key. */
  admit(socket: Socket): (() => void) | null;
};

const MAX_STRANGERS = 64;
const MAX_KNOWN = 256;
/** From the first packet to the proof. */
const PATIENCE_MS = 3000;

const OF_ADDRESS = { perSecond: 5, atOnce: 20 };
const OF_ALL = { perSecond: 25, atOnce: 50 };
const OF_KNOWN = { perSecond: 50, atOnce: 100 };

export function createStrangers(
  refuse: (reason: string, address: string | undefined) => void,
): Strangers {
  /** From where paired APIs have connected. The newest is last. */
  const known = new Set<string>();
  const cut = (socket: Socket, reason: string) => {
    refuse(reason, socket.remoteAddress);
    socket.destroy();
  };
  const evict = (socket: Socket) => cut(socket, "too many connections");
  const places = {
    known: createPlaces(MAX_STRANGERS, evict),
    unknown: createPlaces(MAX_STRANGERS, evict),
  };
  const pace = {
    known: createPace(OF_KNOWN),
    address: createPace(OF_ADDRESS),
    all: createPace(OF_ALL),
  };

  function remember(site: string) {
    known.delete(site);
    known.add(site);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value ?? "");
  }

  return {
    admit(socket) {
      const site = siteOf(socket.remoteAddress ?? "");
      const isKnown = known.has(site);
      const mayGo = isKnown ? pace.known(site) : pace.address(site) && pace.all("");
      if (!mayGo) {
        cut(socket, "too many connections in a second");
        return null;
      }
      const taken = isKnown ? places.known : places.unknown;
      const timer = setTimeout(() => cut(socket, "no proof of a key in time"), PATIENCE_MS);
      timer.unref();
      const leave = () => {
        clearTimeout(timer);
        taken.leave(site, socket);
      };
      socket.once("close", leave);
      taken.take(site, socket);
      return () => {
        leave();
        remember(site);
      };
    },
  };
}
