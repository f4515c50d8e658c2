import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { networkInterfaces } from "node:os";

/**
 * Machines with addresses of their own: network namespaces of Linux on one bridge, which this process reaches too. What
 * one sends to another can be lost without a word, one way or both, although no program between them knows of it.
 */
export type Network = {
  machines: Machine[];
  /** Loses what the first one sends to the second one, until the link is whole again. */
  cut(from: Machine, to: Machine): void;
  mend(from: Machine, to: Machine): void;
  close(): void;
};

export type Machine = {
  address: string;
  /** What follows runs on this machine, as this user. */
  enter(user: { uid: number; gid: number } | undefined): string[];
};

/** No interface has it, so the bridge brings what is sent to it nowhere. */
const NOBODY = "02:00:00:00:00:01";
const LINK = "eth0";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "pipe", "pipe"] });

/** Why this system can have none. Null if it can. */
export function networkMissing(): string | null {
  try {
    const name = `kh${randomInt(1e9)}`;
    ip("netns", "add", name);
    ip("netns", "del", name);
    return null;
  } catch {
    return "a network namespace cannot be made (it needs Linux, ip and root)";
  }
}

export function startNetwork(size: number): Network {
  const name = `kh${randomInt(1e6)}`;
  const prefix = freePrefix();
  const machines: Machine[] = [];
  const names = Array.from({ length: size }, (_, i) => `${name}m${i}`);
  const addressOf = (i: number) => `${prefix}.${i + 11}`;

  function close() {
    for (const [i, each] of names.entries()) {
      // Something that has ended late may still hold the namespace.
      attempt("link", "del", `${name}v${i}`);
      attempt("netns", "del", each);
    }
    attempt("link", "del", name);
  }

  try {
    ip("link", "add", name, "type", "bridge");
    ip("addr", "add", `${prefix}.1/24`, "dev", name);
    ip("link", "set", name, "up");
    for (const [i, each] of names.entries()) {
      const outside = `${name}v${i}`;
      ip("netns", "add", each);
      ip("link", "add", outside, "type", "veth", "peer", "name", LINK, "netns", each);
      ip("link", "set", outside, "master", name, "up");
      ip("-n", each, "addr", "add", `${addressOf(i)}/24`, "dev", LINK);
      ip("-n", each, "link", "set", LINK, "up");
      ip("-n", each, "link", "set", "lo", "up");
      machines.push({
        address: addressOf(i),
        enter: (user) => [
          ...["nsenter", `--net=/run/netns/${each}`],
          ...(user ? ["--setuid", String(user.uid), "--setgid", String(user.gid)] : []),
        ],
      });
    }
  } catch (error) {
    close();
    throw error;
  }

  const nameOf = (machine: Machine) => String(names[machines.indexOf(machine)]);
  return {
    machines,
    cut(from, to) {
      const neighbour = [to.address, "lladdr", NOBODY, "dev", LINK, "nud", "permanent"];
      ip("-n", nameOf(from), "neigh", "replace", ...neighbour);
    },
    mend: (from, to) => attempt("-n", nameOf(from), "neigh", "del", to.address, "dev", LINK),
    close,
  };
}

/** For what may be gone already. */
function attempt(...args: string[]) {
  try {
    ip(...args);
  } catch {
    // It is not there.
  }
}

/** Three bytes of addresses that no interface of this machine has. */
function freePrefix(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  for (;;) {
    const prefix = `10.${randomInt(64, 128)}.${randomInt(256)}`;
    if (!taken.some(({ address }) => address.startsWith(`${prefix}.`))) return prefix;
  }
}
