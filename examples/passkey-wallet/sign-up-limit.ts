const HOUR_MS = 60 * 60 * 1000;

export type SignUpLimit = {
  /** Whether somebody at this address may sign up now. */
  isOpenTo(address: string, nowMs: number): boolean;
  /** Counts a sign-up that made an organization. One that was refused takes no place from others. */
  count(address: string, nowMs: number): void;
};

/**
 * How many people may sign up within an hour: from one address, and in total. This counts in the memory of one process.
 * Behind a proxy, all people have the proxy's address: read theirs from the header that your proxy sets, and from no
 * other.
 */
export function createSignUpLimit({ perAddress = 20, total = 200 } = {}): SignUpLimit {
  let made: { address: string; atMs: number }[] = [];
  return {
    isOpenTo(address, nowMs) {
      made = made.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
      const own = made.filter((each) => each.address === address).length;
      return own < perAddress && made.length < total;
    },
    count: (address, nowMs) => void made.push({ address, atMs: nowMs }),
  };
}
