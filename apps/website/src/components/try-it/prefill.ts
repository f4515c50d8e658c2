/** Whose ids replace those of the contract's example, and an address of theirs once there is one. */
export type Reader = { organizationId: string; userId: string; address: string | null };

/** The organization, the user and the address of all examples of the contract. */
export const exampleReader = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
};

/** The example as this reader would send it now. */
export function prefill(example: string, reader: Reader | null, nowMs: number): string {
  return withTimestamp(fillIn(example, reader), nowMs);
}

/** A sample with the reader's own organization, user and address, once they are known. In a shell, a variable stands for the first. */
export function fillIn(example: string, reader: Reader | null): string {
  if (!reader || !isPlain(reader)) return example;
  const { organizationId, userId, address } = reader;
  return example
    .replaceAll(exampleReader.organizationId, organizationId)
    .replaceAll(exampleReader.userId, userId)
    .replaceAll(exampleReader.address, address ?? exampleReader.address)
    .replaceAll("'$ORGANIZATION_ID'", organizationId);
}

/** A service could answer with anything, and readers paste samples into a shell. */
function isPlain({ organizationId, userId, address }: Reader): boolean {
  return [organizationId, userId, address ?? ""].every((text) => /^[\w:-]*$/.test(text));
}

/** The body with another time of the request, and otherwise as it is. */
export function withTimestamp(body: string, nowMs: number): string {
  return body.replace(/("timestampMs"\s*:\s*)"[^"]*"/, `$1"${nowMs}"`);
}
