/** Whose ids replace those of the contract's example. Null where they are not known yet. */
export type Reader = { organizationId: string | null; userId: string | null };

/** The organization and the user of all examples of the contract. */
export const exampleReader = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
};

/** The example as this reader would send it now. */
export function prefill(
  example: string,
  { organizationId, userId }: Reader,
  nowMs: number,
): string {
  const named = example
    .replaceAll(exampleReader.organizationId, organizationId ?? exampleReader.organizationId)
    .replaceAll(exampleReader.userId, userId ?? exampleReader.userId);
  return withTimestamp(named, nowMs);
}

/** The body with another time of the request, and otherwise as it is. */
export function withTimestamp(body: string, nowMs: number): string {
  return body.replace(/("timestampMs"\s*:\s*)"[^"]*"/, `$1"${nowMs}"`);
}
