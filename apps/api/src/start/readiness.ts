import type { Host } from "../host.ts";
import { isDiskFull } from "../store/disk-full.ts";

export type Readiness = { ready: boolean; reasons: string[] };

/** The answer of `/readyz`: whether database and signer each can work, and say so within two seconds. */
export async function checkReady(host: Host): Promise<Readiness> {
  const reasons: string[] = [];
  await Promise.all([
    within(2000, host.store.probe()).catch((error) => {
      reasons.push(
        isDiskFull(error) ? "the database's disk is full" : "the database does not answer",
      );
    }),
    within(2000, host.askSigner({ call: "describe" }))
      .then((answer) => {
        if (answer.kind === "error") {
          reasons.push(whyNot(answer.error.reason));
        }
      })
      .catch(() => {
        reasons.push("the signer does not answer");
      }),
  ]);
  return { ready: reasons.length === 0, reasons };
}

function whyNot(reason: string): string {
  switch (reason) {
    case "DISK_FULL":
      return "the signer's disk is full";
    case "CLOCK_BACKWARDS":
    case "CLOCK_JUMPED":
      return "the signer does not believe its clock; its log says what to do";
    default:
      return "the signer refuses to work";
  }
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
