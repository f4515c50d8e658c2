import type { Compare, Compared } from "./compare.worker.ts";
import workerUrl from "./compare.worker.ts?worker&url";

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

/** The page's policy lets this name alone decide which scripts may be workers, and it knows one. */
const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  "keyhearth-worker",
  {
    createScriptURL: (url) => {
      if (url === workerUrl) return url;
      throw new TypeError("this is not the worker of the dashboard");
    },
  },
);

/** Compares in a worker, which ends with the answer or with the signal. */
export function compare(asked: Compare, signal: AbortSignal): Promise<Compared> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(trusted?.createScriptURL(workerUrl) ?? workerUrl);
    const end = () => {
      worker.terminate();
      signal.removeEventListener("abort", abort);
    };
    const abort = () => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    worker.onmessage = ({ data }: MessageEvent<Compared>) => {
      end();
      resolve(data);
    };
    worker.onerror = () => {
      end();
      resolve({ problem: "the part of the page that compares failed: reload the page" });
    };
    worker.postMessage(asked);
  });
}
