/** Those that need the same are served one after another in this process. */
export type Turns = {
  /**
   * When everybody who came before with one of these keys has left. Null if there is nobody. Each one leaves, also those who
   * stop waiting: those behind them still wait for those before.
   */
  join(keys: readonly string[]): { turn: Promise<unknown> | null; leave: () => void };
};

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    join(keys) {
      const before = keys.flatMap((key) => last.get(key) ?? []);
      const { promise, resolve: leave } = Promise.withResolvers<void>();
      const done = Promise.all([promise, ...before]).then(() => {
        for (const key of keys) if (last.get(key) === done) last.delete(key);
      });
      for (const key of keys) last.set(key, done);
      return { turn: before.length === 0 ? null : Promise.all(before), leave };
    },
  };
}
