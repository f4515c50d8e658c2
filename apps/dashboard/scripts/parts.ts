type Context = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null };

export type Part = { name: string; entry: string };

/**
 * For the groups of chunks: names the part of the first load that has a module. What one import brings is thus one file, because
 * each request costs a round trip. `start` has what it imports itself, and what both sides of it need: visitors get the
 * `login`, and those who are logged in all of `inside`, each without what earlier ones have. What the page's own script
 * has is null, and stays in it.
 */
export function nameParts({
  page,
  start,
  login,
  inside,
}: {
  page: readonly string[];
  start: Part;
  login: Part;
  inside: readonly Part[];
}): (id: string, context: Context) => string | null {
  let nameOf: ((id: string) => string | null) | undefined;
  return (id, context) => {
    nameOf ??= namesOf(context);
    return nameOf(id);
  };

  function namesOf(context: Context) {
    const membersOf = ({ name, entry }: Part) => ({
      name,
      members: withImports([entry], context),
    });
    const own = withImports(page, context);
    const [first, visitors] = [membersOf(start), membersOf(login)];
    const later = inside.map(membersOf);
    return (id: string) => {
      if (own.has(id)) return null;
      const part = later.find(({ members }) => members.has(id));
      const isShared = part && visitors.members.has(id);
      if (first.members.has(id) || isShared) return first.name;
      return visitors.members.has(id) ? visitors.name : (part?.name ?? null);
    };
  }
}

function withImports(entries: readonly string[], context: Context): Set<string> {
  const members = new Set<string>();
  const add = (id: string) => {
    if (members.has(id)) return;
    members.add(id);
    context.getModuleInfo(id)?.importedIds.forEach(add);
  };
  entries.forEach(add);
  return members;
}
