import { type CreateWalletAccountsIntent, createWalletAccounts, getWallet } from "@keyhearth/sdk";
import { useCallback, useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useLocation } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import "../../chains/chains.css";
import { AccountFields } from "../../chains/account-fields.tsx";
import {
  type AccountValues,
  chainOf,
  newAccount,
  paramsOf,
  pathAt,
  pathsFrom,
} from "../../chains/formats.ts";
import { nextNumber } from "../../chains/lookups.ts";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { FormNumber } from "../../ui/form.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { Page } from "../../ui/page.tsx";

type Values = AccountValues & { count: number };

/** The service takes so many at once. */
const MOST = 100;

export function Screen({ params }: ScreenProps) {
  const { walletId = "" } = params;
  const [, navigate] = useLocation();
  const read = useRead("get_wallet", getWallet, { walletId });
  const form = useForm<Values>({
    defaultValues: { ...newAccount("ADDRESS_FORMAT_ETHEREUM"), count: 1 },
  });
  const { control, handleSubmit, watch } = form;
  const { propose, isLooking } = useFreePath(walletId, (path) => form.setValue("path", path));
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreateWalletAccountsIntent) =>
      createWalletAccounts(connection, parameters),
    {
      form,
      renamed: { addressFormat: "format" },
      done: ({ addresses: [first = "", ...others] }) => ({
        title:
          others.length === 0 ? "The account is there" : `${others.length + 1} accounts are there`,
        text: others.length === 0 ? first : `The first one is ${first}.`,
      }),
      onSent: () => navigate(`/wallets/${walletId}`),
    },
  );
  const add = handleSubmit(({ count, ...account }) => {
    const paths = pathsFrom(account.path.trim(), account.format, count);
    const name = count === 1 ? account.name : "";
    return submit({
      walletId,
      accounts: paths.map((path) => paramsOf({ ...account, path, name })),
    });
  });
  const [count, path, format] = watch(["count", "path", "format"]);
  const last = pathsFrom(path.trim(), format, Math.min(count || 1, MOST)).at(-1);
  return (
    <Page
      title="Add accounts"
      crumbs={[
        { title: "Wallets", to: "/wallets" },
        { title: read.data?.wallet.walletName ?? "Wallet", to: `/wallets/${walletId}` },
      ]}
    >
      <form className="stack narrow-form" onSubmit={add}>
        <div className="account-fields">
          <AccountFields
            {...{ control }}
            at=""
            hasName={count === 1}
            pathHint={
              isLooking ? "Looking for the next free path…" : "The next free path, or one of yours."
            }
            onChain={propose}
          />
          <div className="wide">
            <FormNumber
              {...{ control }}
              name="count"
              label="How many"
              minValue={1}
              maxValue={MOST}
              hint={count > 1 && last ? `The last one gets ${last}.` : undefined}
            />
          </div>
        </div>
        <FormEnd
          action={count > 1 ? `Add ${count} accounts` : "Add the account"}
          backTo={`/wallets/${walletId}`}
          {...{ isBusy, error }}
        />
      </form>
    </Page>
  );
}

/** Asks the service which paths of a chain a wallet has used. If that fails, the usual path stays. */
function useFreePath(walletId: string, onPath: (path: string) => void) {
  const { connection } = useCurrent();
  const [isLooking, setLooking] = useState(false);
  const search = useRef<AbortController>(undefined);
  const latest = useRef(onPath);
  latest.current = onPath;
  const propose = useCallback(
    async ({ format }: Pick<AccountValues, "format">) => {
      search.current?.abort();
      const searching = new AbortController();
      search.current = searching;
      const { signal } = searching;
      const template = chainOf(format)?.path ?? "m/{n}'";
      const pathOf = (number: number) => pathAt(template, number);
      setLooking(true);
      try {
        const number = await nextNumber(connection, { walletId, pathOf }, signal);
        if (!signal.aborted) latest.current(pathOf(number));
      } catch {
        // The service says it again, for the field, if the path is taken.
      } finally {
        if (!signal.aborted) setLooking(false);
      }
    },
    [connection, walletId],
  );
  useEffect(() => {
    void propose({ format: "ADDRESS_FORMAT_ETHEREUM" });
    return () => search.current?.abort();
  }, [propose]);
  return { propose, isLooking };
}
