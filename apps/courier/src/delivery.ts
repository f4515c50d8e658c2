/** What became of one attempt. The reason never holds a recipient, a code or anything that a server said. */
export type Delivery =
  | { outcome: "delivered" }
  | { outcome: "failed"; isPermanent: boolean; reason: string };

export function permanently(reason: string): Delivery {
  return { outcome: "failed", isPermanent: true, reason };
}

export function forNow(reason: string): Delivery {
  return { outcome: "failed", isPermanent: false, reason };
}

/** The code of an error, such as ECONNREFUSED. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z0-9_]{2,40}$/.test(code) ? code : "unknown reason";
}
