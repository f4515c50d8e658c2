/**
 * Names that the reference service's documentation gives to operations, where they are not the
 * endpoint's own name in another spelling.
 */
const OTHER_NAMES: Record<string, string> = {
  getactivities: "list_activities",
  getpolicies: "list_policies",
  getprivatekeys: "list_private_keys",
  getsmartcontractinterfaces: "list_smart_contract_interfaces",
  getsuborgids: "list_suborgs",
  getusers: "list_users",
  getverifiedsuborgids: "list_verified_suborgs",
  getwalletaccounts: "list_wallet_accounts",
  getwallets: "list_wallets",
  getwhoami: "whoami",
};

/**
 * Where a link of the form `#tag/Wallets/operation/CreateWallet` leads on this page: the operation, else
 * its group. Null for any other fragment.
 */
export function placeOfEarlierLink(
  hash: string,
  groups: readonly { tag: string; operations: readonly { name: string }[] }[],
): string | null {
  const [, tag = "", operation = ""] =
    /^#tag\/([^/]+)(?:\/operation\/([^/]+))?$/.exec(decode(hash)) ?? [];
  if (tag === "") return null;
  const wanted = plain(operation.replace(/^PublicApiService_/, ""));
  const name = groups
    .flatMap(({ operations }) => operations)
    .find((each) => plain(each.name) === wanted || each.name === OTHER_NAMES[wanted])?.name;
  if (name !== undefined) return name;
  const group = groups.find((each) => plain(each.tag) === plain(tag));
  return group ? anchorOfGroup(group.tag) : null;
}

export function anchorOfGroup(tag: string): string {
  return `group-${tag.toLowerCase().replaceAll(" ", "-")}`;
}

/** Spelling aside: `create_wallet`, `createWallet` and `CreateWallet` are one name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, "");
}

function decode(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
