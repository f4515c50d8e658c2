import { quote } from "../../errors.ts";
import { kindOf } from "../../logic/satisfiability.ts";
import type { Finding, LintCode, Linted, LintedClause, Organization } from "./subject.ts";

// Lints of names that do not exist, or do not mean what they seem to.

/** Names that mean nothing in this organization, or do not mean what they seem to. */
export function findNames(
  { condition, consensus, time }: Linted,
  directories: Directories,
): Finding[] {
  return [condition, consensus, time].flatMap((clause) => {
    if (!clause) return [];
    return [
      ...findUnknown(clause, directories),
      ...findPinnedTypes(clause, directories),
      ...findSpelling(clause),
    ];
  });
}

function findUnknown(
  { inventory, checked: { clause } }: LintedClause,
  { ofPaths }: Directories,
): Finding[] {
  return inventory.comparisons.flatMap(({ path, values }) => {
    const directory = ofPaths.get(path);
    if (!directory) return [];
    const { code, what, ids, mend } = directory;
    return values.flatMap((value) => {
      if (value.kind !== "string" || ids.has(value.value)) return [];
      const message = `there is no ${what} ${quote(value.value)}: ${mend}`;
      return { code, message, clause, node: value };
    });
  });
}

type Directory = {
  readonly code: LintCode;
  readonly what: string;
  readonly ids: ReadonlySet<string>;
  readonly mend: string;
};

/** What exists, by the paths that name it. */
export type Directories = {
  readonly ofPaths: ReadonlyMap<string, Directory>;
  readonly activities: NonNullable<Organization["activities"]>;
};

export function directoriesOf({
  users,
  userTagIds,
  privateKeyTagIds,
  walletIds,
  privateKeyIds,
  activities,
}: Organization): Directories {
  const ofPaths = new Map<string, Directory>();
  const userIds = users?.map(({ id }) => id);
  const user = "use the id of a user who exists";
  for (const path of USER_PATHS) add(path, "unknown-user", "user", userIds, user);
  const tag = "use the id of a tag that exists, not its name";
  add("approvers[].tags[]", "unknown-tag", "user tag", userTagIds, tag);
  add("private_key.tags[]", "unknown-tag", "private key tag", privateKeyTagIds, tag);
  const credential = "use the id of a credential that exists";
  add("credentials[].id", "unknown-credential", "credential", credentialIds(users), credential);
  for (const path of ["wallet.id", "wallets[].id", "activity.params.wallet_id"]) {
    add(path, "unknown-wallet", "wallet", walletIds, "use the id of a wallet that exists");
  }
  const key = "use the id of a private key that exists";
  add("private_key.id", "unknown-private-key", "private key", privateKeyIds, key);
  for (const name of ["type", "kind", "resource", "action"] as const) {
    const known = activities?.map((activity) => activity[name]);
    const mend = `use one of the ${name}s of the service's activities`;
    add(`activity.${name}`, "unknown-activity", `activity ${name}`, known, mend);
  }
  return { ofPaths, activities: activities ?? [] };

  function add(
    path: string,
    code: LintCode,
    what: string,
    ids: readonly string[] | undefined,
    mend: string,
  ) {
    if (ids) ofPaths.set(path, { code, what, ids: new Set(ids), mend });
  }
}

const USER_PATHS = [
  "approvers[].id",
  "credentials[].user_id",
  "activity.params.user_id",
  "activity.params.user_ids[]",
];

function credentialIds(users: Organization["users"]): readonly string[] | undefined {
  if (!users?.every(({ credentials }) => credentials)) return undefined;
  return users.flatMap(({ credentials = [] }) => credentials.map(({ id }) => id));
}

/** Types that clients no longer send, without the type that they send now. */
function findPinnedTypes(
  { inventory: { comparisons }, checked: { clause } }: LintedClause,
  { activities }: Directories,
): Finding[] {
  const typeTests = comparisons.filter(({ path }) => path === "activity.type");
  const named = new Set(typeTests.flatMap(({ values }) => values.map(({ value }) => value)));
  return typeTests.flatMap(({ values }) => {
    return values.flatMap((value): Finding[] => {
      const found = activities.find(({ type }) => type === value.value);
      if (!found || found.newest) return [];
      const kind = found.kind || kindOf(found.type);
      const current = activities.find((each) => each.newest && kindOf(each.type) === kind);
      if (!current || named.has(current.type)) return [];
      const message =
        `${quote(found.type)} was superseded by \`${current.type}\`: ` +
        `write \`activity.kind == '${kind}'\`, which holds for every version`;
      return [{ code: "type-pinned", message, clause, node: value }];
    });
  });
}

function findSpelling({ inventory, checked: { clause } }: LintedClause): Finding[] {
  const hiding = inventory.hiding.map(({ node, name }): Finding => {
    const message = `\`${name}\` hides another name of the same spelling: give the element a name of its own`;
    return { code: "hidden-name", message, clause, node };
  });
  const counts = inventory.countFields.map((node): Finding => {
    const message = "`count` without parentheses reads like a field: write `count()`";
    return { code: "count-field", message, clause, node };
  });
  return [...hiding, ...counts];
}
