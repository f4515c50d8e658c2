import { ApiError } from "@keyhearth/engine/errors";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import type { Bounds } from "./open-connections.ts";

/**
 * Bounds the memory of request bodies whose sender is not known yet: for each client address or IPv6 site, and
 * in all. A body that stays on its way costs its sender nothing. So above a bound, the one that has
 * waited longest for more of it is cut, and above the bound for all, it is one of the sender who holds the most.
 */
export type HeldBytes = {
  /** Begins a body. `cut` is called at most once, before it is settled. */
  begin(address: string, cut: (error: ApiError) => void): Holding;
};

export type Holding = {
  /** More of the body takes this much memory. */
  hold(bytes: number): void;
  /** All of it is here. It still counts, and is not cut. */
  arrived(): void;
  /** Its stamp was verified, or it is no longer needed. */
  settle(): void;
};

const MB = 1024 * 1024;
export const HELD_LIMITS = {
  bytes: 128 * MB,
  bytesOfAddress: 32 * MB,
  /** Bodies on their way, or fewer if there may be few connections. Even an empty one has a connection. */
  arrivingOfAddress: 512,
};

/** Bodies on their way, of an address that may have so many connections: also behind a proxy, where nothing else bounds it. */
export function arrivingOf({ mostOfAddress }: Pick<Bounds, "mostOfAddress">): number {
  return Math.min(HELD_LIMITS.arrivingOfAddress, Math.ceil(mostOfAddress / 2));
}

type Sender = {
  site: string;
  bytes: number;
  bodies: number;
  /** In the order in which something last arrived of them. */
  arriving: Set<Entry>;
};

type Entry = { sender: Sender; bytes: number; isSettled: boolean; cut: (error: ApiError) => void };

export function createHeldBytes({
  bytes = HELD_LIMITS.bytes,
  bytesOfAddress = HELD_LIMITS.bytesOfAddress,
  arrivingOfAddress = HELD_LIMITS.arrivingOfAddress,
}: Partial<typeof HELD_LIMITS> = {}): HeldBytes {
  const most = { bytes, bytesOfAddress, arrivingOfAddress };
  const senders = new Map<string, Sender>();
  let bytesInAll = 0;

  function senderOf(address: string): Sender {
    const site = siteOf(address);
    const known = senders.get(site);
    if (known) return known;
    const sender = { site, bytes: 0, bodies: 0, arriving: new Set<Entry>() };
    senders.set(site, sender);
    return sender;
  }

  function charge(entry: Entry, bytes: number) {
    entry.bytes += bytes;
    entry.sender.bytes += bytes;
    bytesInAll += bytes;
  }

  function hold(entry: Entry, bytes: number) {
    if (entry.isSettled) return;
    const { sender } = entry;
    sender.arriving.delete(entry);
    sender.arriving.add(entry);
    if (bytes === 0) return;
    charge(entry, bytes);
    while (sender.bytes > most.bytesOfAddress && cutSlowest(sender));
    while (bytesInAll > most.bytes && cutSlowest(largest()));
  }

  function settle(entry: Entry) {
    if (entry.isSettled) return;
    entry.isSettled = true;
    charge(entry, -entry.bytes);
    const { sender } = entry;
    sender.arriving.delete(entry);
    sender.bodies -= 1;
    if (sender.bodies === 0) senders.delete(sender.site);
  }

  function largest(): Sender | undefined {
    let found: Sender | undefined;
    for (const sender of senders.values()) {
      const isLarger = found === undefined || sender.bytes > found.bytes;
      if (isLarger && [...sender.arriving].some(({ bytes }) => bytes > 0)) found = sender;
    }
    return found;
  }

  /** False if nothing of the sender is on its way that holds so much. */
  function cutSlowest(sender: Sender | undefined, leastBytes = 1): boolean {
    for (const entry of sender?.arriving ?? []) {
      if (entry.bytes < leastBytes) continue;
      settle(entry);
      entry.cut(cutOff());
      return true;
    }
    return false;
  }

  return {
    begin(address, cut) {
      const sender = senderOf(address);
      const entry: Entry = { sender, bytes: 0, isSettled: false, cut };
      sender.bodies += 1;
      sender.arriving.add(entry);
      if (sender.arriving.size > most.arrivingOfAddress) cutSlowest(sender, 0);
      return {
        hold: (bytes) => hold(entry, bytes),
        arrived: () => void sender.arriving.delete(entry),
        settle: () => settle(entry),
      };
    },
  };
}

function cutOff(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many requests from your address are still being sent, and this one has waited longest for the rest of its body; send it again",
  );
}
