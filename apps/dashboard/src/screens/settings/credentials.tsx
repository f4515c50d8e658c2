import { getAuthenticators, getUser } from "@keyhearth/sdk";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { ApiKeys } from "../user/api-keys.tsx";
import { Passkeys } from "../user/passkeys.tsx";

/** What the user who is logged in stamps with. Another user's is on that user's screen. */
export function CredentialsTab() {
  const { userId } = useCurrent().session;
  const read = useRead("get_user", getUser, { userId });
  const passkeys = useRead("get_authenticators", getAuthenticators, { userId });
  return (
    <Loaded query={read} what="your credentials">
      {({ user }) => (
        <>
          <Passkeys {...{ user, passkeys }} isSelf />
          <ApiKeys {...{ user }} isSelf />
        </>
      )}
    </Loaded>
  );
}
