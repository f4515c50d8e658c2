import { LoginProxy, type LoginProxySettings, type SessionKeeper } from "@keyhearth/sdk/browser";
import { type ReactNode, useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "../ui/button.tsx";
import { FormText } from "../ui/form-text.tsx";
import { FormProblem, Loading } from "../ui/states.tsx";
import { isId, organizationOfAddress, rememberedOrganizations } from "./remembered.ts";

export type ProxyWay = { proxy: LoginProxy; settings: LoginProxySettings; parentId: string };

/**
 * Codes and providers log people in to sub-organizations, by the login proxy of the parent. So this asks whose proxy it is,
 * unless this browser knows.
 */
export function ProxyOf({
  keeper,
  organizationId,
  children,
}: {
  keeper: SessionKeeper;
  /** The only account that may be logged in to. */
  organizationId: string | undefined;
  children: (way: ProxyWay) => ReactNode;
}) {
  const [parentId, setParentId] = useState(() => knownParent(organizationId));
  const [way, setWay] = useState<ProxyWay>();
  const [error, setError] = useState<unknown>();
  const { control, handleSubmit } = useForm({ defaultValues: { organizationId: parentId ?? "" } });

  useEffect(() => {
    if (parentId === undefined) return;
    let isCurrent = true;
    const proxy = new LoginProxy(keeper, { configurationId: parentId });
    proxy.settings().then(
      (settings) => isCurrent && setWay({ proxy, settings, parentId }),
      (cause: unknown) => {
        if (!isCurrent) return;
        setError(cause);
        setParentId(undefined);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [keeper, parentId]);

  if (way) {
    return (
      <>
        {children(way)}
        <Button kind="quiet" isSmall onPress={() => [setWay(undefined), setParentId(undefined)]}>
          Another organization
        </Button>
      </>
    );
  }
  if (parentId !== undefined) return <Loading what="what this organization offers" lines={2} />;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={handleSubmit((values) => {
        setError(undefined);
        setParentId(values.organizationId.trim().toLowerCase());
      })}
    >
      <FormText
        {...{ control }}
        name="organizationId"
        label="Organization id"
        hint="Of the organization whose login proxy you use. It is in the link that you got."
        isMono
        autoComplete="off"
        rules={{
          required: "Enter the id of the organization.",
          validate: (text) =>
            isId(text.trim().toLowerCase()) ||
            "An id has 32 hexadecimal digits in five groups, such as 2a1f0c3e-….",
        }}
      />
      <FormProblem error={error} />
      <Button type="submit" kind="primary">
        Go on
      </Button>
    </form>
  );
}

function knownParent(account: string | undefined): string | undefined {
  const known = rememberedOrganizations();
  if (account !== undefined) return known.find(({ id }) => id === account)?.via;
  return organizationOfAddress() ?? known.find(({ via }) => via !== undefined)?.via;
}
