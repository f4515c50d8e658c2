export type Deferred<T> = {
  promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
};

/** A promise that is settled from outside. `Promise.withResolvers` does the same, and Node.js has it only since version 22. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> = { resolve() {}, reject() {} };
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
