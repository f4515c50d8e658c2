/** Whose ids replace those of the contract's example. */
export type Reader = { organizationId: string; userId: string };

/** The organization and the user of all examples of the contract. */
export const exampleReader = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
};

/** The example as this reader would send it now. */
export function prefill(example: string, reader: Reader | null, nowMs: number): string {
  return withTimestamp(fillIn(example, reader), nowMs);
}

/** An example with the reader's own organization and user, once they are known. */
export function fillIn(example: string, reader: Reader | null): string {
  if (!reader) return example;
  const { organizationId, userId } = reader;
  return example
    .replaceAll(exampleReader.organizationId, organizationId)
    .replaceAll(exampleReader.userId, userId);
}

/** The body with another time of the request, and otherwise as it is. */
export function withTimestamp(body: string, nowMs: number): string {
  return body.replace(/("timestampMs"\s*:\s*)"[^"]*"/, `$1"${nowMs}"`);
}
