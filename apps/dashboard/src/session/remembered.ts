// Organizations that somebody logged in to in this browser: their ids and names, neither of which is secret.

export type Remembered = {
  id: string;
  name: string;
  /** The organization whose login proxy led there, for the next login by code or provider. */
  via?: string;
};

const ENTRY = "keyhearth-organizations";
const MOST = 5;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The one that was used last comes first. */
export function rememberedOrganizations(): Remembered[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(ENTRY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRemembered).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** How people came there before is kept, until they come another way. */
export function remember(organization: Remembered): void {
  const known = rememberedOrganizations();
  const before = known.find(({ id }) => id === organization.id);
  keep([
    { ...(before?.via && { via: before.via }), ...organization },
    ...known.filter(({ id }) => id !== organization.id),
  ]);
}

function keep(organizations: Remembered[]) {
  try {
    localStorage.setItem(ENTRY, JSON.stringify(organizations.slice(0, MOST)));
  } catch {
    // Then people type the id.
  }
}

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, via }: { id?: unknown; name?: unknown; via?: unknown } = value;
  return (
    typeof id === "string" &&
    isId(id) &&
    typeof name === "string" &&
    name.length <= 300 &&
    (via === undefined || (typeof via === "string" && isId(via)))
  );
}

/** The organization that the address names, as the link of a new organization does. */
export function organizationOfAddress(): string | undefined {
  const id = new URLSearchParams(location.search).get("organization")?.toLowerCase();
  return id !== undefined && isId(id) ? id : undefined;
}
