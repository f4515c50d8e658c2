import { Plus, Trash2 } from "lucide-react";
import { type Control, useFieldArray } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { AccountFields } from "./account-fields.tsx";
import { type AccountValues, newAccount } from "./formats.ts";

/** The service takes so many at once. */
const MOST = 100;

/** The form of every account calls `addressFormat` its `format`. */
export const renamedAccounts: Readonly<Record<string, `accounts.${number}.format`>> =
  Object.fromEntries(
    Array.from({ length: MOST }, (_, at) => [
      `accounts.${at}.addressFormat`,
      `accounts.${at}.format` as const,
    ]),
  );

/** The first accounts of a wallet. None is fine too: they can be added later. */
export function AccountsFields<Values extends { accounts: AccountValues[] }>(given: {
  control: Control<Values>;
}) {
  // The library's types cannot say that a form has these accounts and other fields.
  const control = given.control as unknown as Control<{ accounts: AccountValues[] }>;
  const { fields, append, remove } = useFieldArray({ control, name: "accounts" });
  return (
    <section className="stack" aria-label="Accounts">
      <div>
        <h2>Accounts</h2>
        <p className="soft">You can add more at any time.</p>
      </div>
      {fields.map(({ id }, index) => (
        <fieldset className="account-fields" key={id}>
          <legend className="visually-hidden">Account {index + 1}</legend>
          <AccountFields {...{ control }} at={`accounts.${index}.`} />
          <div className="wide">
            <Button kind="quiet" isSmall onPress={() => remove(index)}>
              <Trash2 size={15} aria-hidden />
              Leave out account {index + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          isDisabled={fields.length >= MOST}
          onPress={() => append(newAccount("ADDRESS_FORMAT_ETHEREUM", fields.length))}
        >
          <Plus size={16} aria-hidden />
          Another account
        </Button>
      </div>
    </section>
  );
}
