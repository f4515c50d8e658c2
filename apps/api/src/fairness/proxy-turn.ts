/** Whose turn a call takes at the signer: that of an organization, among those of its family. */
export type SignerTurn = { organizationId: string; familyId: string };

/**
 * The turn of what strangers ask an organization's login proxy for. It is that of a family of its own: whatever they ask for,
 * neither the organization nor its accounts wait for it, or rest after it. The signer takes names of up to 36 characters.
 */
export function turnOfProxy(parentId: string, organizationId = parentId): SignerTurn {
  const familyId = `px-${parentId.replaceAll("-", "")}`;
  return { organizationId: organizationId === parentId ? familyId : organizationId, familyId };
}
