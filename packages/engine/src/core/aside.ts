/** Does work in another thread. */
export type Aside = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** One piece of work at a time, in the order of the calls, so that it never takes more than one processor. */
export function createAside(): Aside {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
