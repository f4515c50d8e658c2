import {
  type ApiKey,
  type CreateApiKeysIntentV2,
  createApiKeys,
  deleteApiKeys,
  logOutEverywhere,
  type User,
} from "@keyhearth/sdk";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { msOf } from "../../ui/words-of-time.ts";
import { KeyFields, keyOf, noKey } from "./key-fields.tsx";
import type { MadeKey } from "./keys-made-here.ts";
import { MadeKeyDialog } from "./made-key.tsx";

const kinds: Record<string, string> = {
  API_KEY_P256: "API key, P-256",
  API_KEY_SECP256K1: "API key, secp256k1",
  API_KEY_ED25519: "API key, Ed25519",
  LOGIN: "Login",
  READ_WRITE_SESSION_KEY_P256: "Session",
  EMAIL_AUTH_KEY_P256: "Login by email",
  OTP_AUTH_KEY_P256: "Login by code",
  OAUTH_KEY_P256: "Social login",
  RECOVER_USER_KEY_P256: "Recovery",
};

function kindOf({ credential }: ApiKey): string {
  const type = credential.type.replace("CREDENTIAL_TYPE_", "");
  return kinds[type] ?? type;
}

/** Keys that last, and those that expire, which are sessions. */
export function ApiKeys({ user, isSelf }: { user: User; isSelf: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const lasting = user.apiKeys.filter(({ expirationSeconds }) => !expirationSeconds);
  const sessions = user.apiKeys.filter(({ expirationSeconds }) => expirationSeconds);
  return (
    <>
      <Section
        title="API keys"
        actions={<Button onPress={() => setAdding(true)}>Add an API key</Button>}
      >
        {lasting.length === 0 ? (
          <Empty title="There is no API key that lasts">
            Programs stamp their requests with one.
          </Empty>
        ) : (
          <KeyTable {...{ user }} label="API keys" keys={lasting} />
        )}
      </Section>
      <Section
        title="Sessions"
        actions={sessions.length > 0 && <EndSessions {...{ user, isSelf }} />}
      >
        {sessions.length === 0 ? (
          <Empty title="There is no session">Logins and keys that expire are listed here.</Empty>
        ) : (
          <KeyTable {...{ user }} label="Sessions" keys={sessions} />
        )}
      </Section>
      <AddKeyDialog {...{ user }} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

function KeyTable({ user, label, keys }: { user: User; label: string; keys: readonly ApiKey[] }) {
  const { session } = useCurrent();
  const [removed, setRemoved] = useState<ApiKey>();
  const { submit } = useSubmit(
    (connection, id: string) => deleteApiKeys(connection, { userId: user.userId, apiKeyIds: [id] }),
    { done: "The key no longer works" },
  );
  const isOwn = ({ credential }: ApiKey) => credential.publicKey === session.publicKey;
  const expires = keys.some(({ expirationSeconds }) => expirationSeconds);
  return (
    <>
      <Table
        {...{ label }}
        rows={keys}
        keyOf={({ apiKeyId }) => apiKeyId}
        columns={[
          {
            name: "Name",
            cell: (key) => (
              <span className="row">
                {key.apiKeyName}
                {isOwn(key) && <Tag tone="good">This browser</Tag>}
              </span>
            ),
            isMain: true,
          },
          { name: "Kind", cell: kindOf },
          {
            name: "Public key",
            cell: ({ credential }) => (
              <span className="mono" title={credential.publicKey}>
                {credential.publicKey.slice(0, 12)}…
              </span>
            ),
          },
          { name: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ...(expires
            ? [
                {
                  name: "Expires",
                  cell: ({ createdAt, expirationSeconds }: ApiKey) => (
                    <Time at={msOf(createdAt) + Number(expirationSeconds) * 1000} />
                  ),
                },
              ]
            : []),
          {
            name: "Actions",
            cell: (key) => (
              <Button
                isSmall
                aria-label={`Remove the key ${key.apiKeyName}`}
                onPress={() => setRemoved(key)}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        title={`Remove the key ${removed?.apiKeyName ?? ""}?`}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        action="Remove the key"
        onConfirm={async () =>
          removed !== undefined && (await submit(removed.apiKeyId)) !== undefined
        }
      >
        <p>
          {removed && isOwn(removed)
            ? "It is the key of this session: you are logged out here."
            : "What still uses it is refused from now on."}
        </p>
      </ConfirmDialog>
    </>
  );
}

function EndSessions({ user, isSelf }: { user: User; isSelf: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const { submit } = useSubmit(
    (connection, userId: string) => logOutEverywhere(connection, { userId }),
    { done: `${user.userName} is logged out everywhere` },
  );
  return (
    <>
      <Button onPress={() => setAsking(true)}>Log out everywhere</Button>
      <ConfirmDialog
        title={`Log ${isSelf ? "yourself" : user.userName} out everywhere?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Log out everywhere"
        onConfirm={async () => (await submit(user.userId)) !== undefined}
      >
        <p>All keys that expire end, on every device. Passkeys and keys that last stay.</p>
      </ConfirmDialog>
    </>
  );
}

function AddKeyDialog({
  user,
  isOpen,
  onClose,
}: {
  user: User;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { session } = useCurrent();
  const form = useForm({ defaultValues: noKey });
  const { control, handleSubmit, reset } = form;
  const made = useRef<MadeKey>(undefined);
  const [shown, show] = useState<{ made: MadeKey; isWaiting: boolean }>();
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreateApiKeysIntentV2) => createApiKeys(connection, parameters),
    {
      form,
      done: "The key is registered",
      onSent: ({ kind }) => {
        if (made.current) show({ made: made.current, isWaiting: kind === "waits" });
        made.current = undefined;
        reset(noKey);
        onClose();
      },
    },
  );
  return (
    <>
      <FormDialog
        title="Add an API key"
        {...{ isOpen, onClose, isBusy, error }}
        action="Register the key"
        onSubmit={handleSubmit(async (values) => {
          const ready = await keyOf(values, session.organizationId, made.current);
          made.current = ready.made;
          await submit({ userId: user.userId, apiKeys: [ready.params] });
        })}
      >
        <KeyFields {...{ control }} />
      </FormDialog>
      {shown && <MadeKeyDialog {...shown} onClose={() => show(undefined)} />}
    </>
  );
}
