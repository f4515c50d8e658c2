import { alreadyExists, checkAll, checkEach, invalid } from "../errors.ts";
import type { WalletAccountParams } from "../fields/schemas.ts";
import type { Want } from "../records/kinds.ts";
import type { DeletedAccount, WalletLine } from "../records/organization.ts";
import { placeOf, type WalletAccount } from "../records/wallet-account.ts";
import { checkFormat } from "./address-formats.ts";
import type { KeyTools } from "./tools.ts";
import { accountIdName } from "./wallets.ts";

// What new accounts must be: of a format that fits, and with an address and a name that are not taken.

/** Asks for the accounts of the organization that already have one of these names. */
export function wantNamesakes(accounts: WalletAccountParams[]): Want[] {
  const names = accounts.flatMap(({ name }) => name ?? []);
  return names.length > 0 ? [{ type: "accounts-named", names }] : [];
}

/** The format must fit the curve, and no account and no name may appear twice. */
export function checkAccounts(accounts: WalletAccountParams[], field: string) {
  const places = new Map<string, string>();
  const names = new Set<string>();
  checkEach(accounts, (account, index) => {
    const { curve, path, addressFormat, name } = account;
    const at = `${field}[${index}]`;
    const place = placeOf(account);
    checkAll(
      () => checkFormat(addressFormat, curve, `${at}.addressFormat`),
      () => {
        const other = places.get(place);
        if (other !== undefined) throw pathTaken(`${at}.path`, path, other);
        places.set(place, path);
      },
      () => {
        if (name === undefined) return;
        if (names.has(name)) throw accountNameTaken(`${at}.name`, name);
        names.add(name);
      },
    );
  });
}

/**
 * No account of the wallet may have the same address in the same format, and no account of the
 * organization the same name. Accounts that this same request created do not count: if a client repeats
 * a request, it gets the activity that it started.
 */
export function checkNewAccounts(
  { records, newId, requestedAtMs }: KeyTools,
  { walletId, deletedAccounts }: WalletLine,
  accounts: WalletAccountParams[],
) {
  const existing = records.accountsAt(walletId);
  const deletedAt = new Map(deletedAccounts.map((deleted) => [deleted.place, deleted]));
  checkEach(accounts, (account, index) => {
    const at = `parameters.accounts[${index}]`;
    const place = placeOf(account);
    const isOther = ({ walletAccountId }: WalletAccount) =>
      walletAccountId !== newId(accountIdName(walletId, place));
    checkAll(
      () => {
        const deleted = deletedAt.get(place);
        if (deleted && deleted.requestedAtMs >= requestedAtMs) throw tooSoon(account.path, deleted);
        const found = existing.get(place);
        if (found && isOther(found)) throw pathTaken(`${at}.path`, account.path, found.path);
      },
      () => checkAccountName(records, account, at, isOther),
    );
  });
}

/** No account of a new wallet may have the name of an account of the organization. */
export function checkAccountNames(records: KeyTools["records"], accounts: WalletAccountParams[]) {
  checkEach(accounts, (account, index) =>
    checkAccountName(records, account, `parameters.accounts[${index}]`),
  );
}

function checkAccountName(
  records: KeyTools["records"],
  { name }: WalletAccountParams,
  at: string,
  isOther = (_found: WalletAccount) => true,
) {
  const found = name === undefined ? null : records.accountNamed(name);
  if (found && isOther(found)) throw accountNameTaken(`${at}.name`, found.name ?? "");
}

function accountNameTaken(field: string, name: string) {
  const message = `a wallet account with the name \`${name}\` already exists`;
  return alreadyExists("NAME_TAKEN", field, message);
}

/** No request from before the deletion creates the account again, whichever the host held back or repeats. */
function tooSoon(path: string, { requestedAtMs }: DeletedAccount) {
  const refusedUntil = new Date(requestedAtMs).toISOString();
  return invalid(
    "timestampMs",
    `the account at \`${path}\` was deleted, and \`timestampMs\` must be after ${refusedUntil} to create it again: stamp the request again after that time`,
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** Clients look for this text. */
function pathTaken(field: string, path: string, other: string) {
  const taken = `invalid path: path already exists in wallet account: \`${path}\``;
  const why = ` has the same address as \`${other}\`, since every step of an Ed25519 path is hardened`;
  return alreadyExists("PATH_TAKEN", field, path === other ? taken : `${taken}${why}`);
}
