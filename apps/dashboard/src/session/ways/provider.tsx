import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FormProblem, Notice } from "../../ui/states.tsx";
import { ProxyOf, type ProxyWay } from "../proxy-of.tsx";
import { remember } from "../remembered.ts";
import type { LoginProvider } from "../service.ts";
import type { WayProps } from "../way.ts";
import { askProvider, openWindow } from "./provider-window.ts";

const google = {
  name: "google",
  authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
};

/** A login at an OpenID provider, where the organization's login proxy has a client there. Nobody is signed up. */
export function Way(props: WayProps) {
  return (
    <ProxyOf keeper={props.keeper} organizationId={props.organizationId}>
      {(way) => <ProviderLogin {...props} {...{ way }} />}
    </ProxyOf>
  );
}

function ProviderLogin({
  service,
  keeper,
  organizationId,
  expirationSeconds,
  way: { proxy, settings, parentId },
}: WayProps & { way: ProxyWay }) {
  const [error, fail] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const known = service.isElsewhere ? service.loginProviders : [google, ...service.loginProviders];
  const offered = known.flatMap((provider: LoginProvider) => {
    const named = settings.oauthClientIds[provider.name];
    return named === undefined ? [] : [{ ...provider, clientId: provider.clientId ?? named }];
  });
  const logIn = async (provider: (typeof offered)[number]) => {
    setBusy(provider.name);
    fail(undefined);
    try {
      const opened = openWindow();
      const oidcToken = await askProvider(opened, keeper, provider);
      const { session } = await proxy.logInWithOidc({
        oidcToken,
        providerName: labelOf(provider.name),
        signUp: false,
        expirationSeconds,
        ...(organizationId && { organizationId }),
      });
      const name = `your account of ${labelOf(provider.name)}`;
      remember({ id: session.organizationId, name, via: parentId });
    } catch (cause) {
      fail(cause);
      setBusy(undefined);
    }
  };
  if (offered.length === 0) {
    return (
      <Notice>
        This organization has no provider that this dashboard knows. Its operator lists them in{" "}
        {service.isElsewhere ? (
          <>
            <code>--login-provider</code> when building it
          </>
        ) : (
          <code>KEYHEARTH_LOGIN_PROVIDERS</code>
        )}
        .
      </Notice>
    );
  }
  return (
    <div className="stack">
      <FormProblem error={error} />
      {offered.map((provider) => (
        <Button
          key={provider.name}
          kind="primary"
          isPending={busy === provider.name}
          isDisabled={busy !== undefined && busy !== provider.name}
          onPress={() => void logIn(provider)}
        >
          Continue with {labelOf(provider.name)}
        </Button>
      ))}
    </div>
  );
}

function labelOf(name: string): string {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
