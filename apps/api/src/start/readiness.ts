import type { Host } from "../host.ts";

export type Readiness = { ready: boolean; reasons: string[] };

/** The answer of `/readyz`: whether database and signer each respond within two seconds. */
export async function checkReady(host: Host): Promise<Readiness> {
  const reasons: string[] = [];
  await Promise.all([
    within(2000, host.store.run("ready", "SELECT 1 WHERE $1::int = 1", [1])).catch(() => {
      reasons.push("the database does not answer");
    }),
    within(2000, host.askSigner({ call: "describe" }))
      .then((answer) => {
        if (answer.kind !== "description") reasons.push("the signer refuses to work");
      })
      .catch(() => {
        reasons.push("the signer does not answer");
      }),
  ]);
  return { ready: reasons.length === 0, reasons };
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
