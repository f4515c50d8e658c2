import type * as z from "zod";
import type { Sources } from "../chains/sources.ts";
import type { Roots } from "../keys/policy-roots.ts";
import type { Addressee } from "../messages/message.ts";
import type { WayOfNaming } from "../people/named-users.ts";
import type { Want } from "../records/kinds.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import type { Beside } from "../records/votes-only.ts";
import type { Context } from "./context.ts";

export type Version = {
  /** The key in the activity's `intent`. Capitalised, it is the name of the parameters' schema. */
  intentKey: string;
  /** The key in the activity's `result`. `*` if the response is another activity. */
  resultKey: string;
  intent: z.ZodObject;
  result: z.ZodObject;
  /** How answers show the intent, if released clients require fields of it that a request may leave out. */
  shown?: { schema: z.ZodObject; of(intent: Record<string, unknown>): Record<string, unknown> };
  /** The version that parameters belong to, if released clients send them under this type. Undefined for this one. */
  readsAs?(parameters: Record<string, unknown>): string | undefined;
};

/** Who may send a request. Nobody else may. */
export type Sender =
  /** A user of the organization, if the root quorum, policies or `isOwn` allow it. */
  | "user"
  /** Every user of the organization: policies are not asked. */
  | "any user"
  /**
   * A user of a sub-organization who names the parent in the place of it. The host finds the sub-organization,
   * so this is only for logins: they give their user nothing in another one (decision 12).
   */
  | "user by the parent's id"
  /**
   * A user of the parent organization, for a sub-organization. Then the parent's root quorum and policies
   * decide, at once (decision 12). Its document is always brought.
   */
  | "parent's user"
  /** A key that nobody has registered, if a token attests whose it is. Only for logins. */
  | "attested key"
  /**
   * The key of a recovery mail, which stamps nothing else, for what is `isOwn` of its user. With any other
   * credential it is not.
   */
  | "recovery key"
  /** The `newUser` whom the request makes, by a passkey that it registers. Policies are not asked. */
  | "newcomer"
  /**
   * The `newUser` of the top-level organization that the request creates and belongs to, by a credential that it
   * registers. No organization decides it.
   */
  | "founder";

/** What makes a user besides the intent. `newId` is that of the context. */
export type NewUserSources = Pick<Context, "document" | "newId" | "nowMs" | "registrations">;

/** What an activity changes besides its own record. All change the document too if they wait for votes. */
export type Changes =
  /** The organization's document, so those of one organization run one at a time. */
  | "document"
  /** The same, but only by ending credentials: users may do it even after many changes of their own credentials. */
  | "fewer credentials"
  /** The same, and nobody can poll for the outcome afterwards. */
  | "deleted organization"
  /** The sessions record of a user, so those of one user run one at a time. */
  | "sessions"
  /** The one-time codes in the signer's memory. */
  | "codes"
  /** Records whose version the document does not list, so many can run at once. */
  | "records"
  /** No other record, so many can run at once. */
  | "nothing";

/** Who gets to know the result, and what becomes of a failure. */
export type AnswerRules = {
  /**
   * The host gets the result only after it has confirmed the commit. Such an activity always changes
   * the document. With "if voted" only if votes decided: what it gives counts without any document, so it must not
   * count if the activity is rejected instead.
   */
  secret?: "always" | "if voted";
  /** Members of the result that the API shows only to the user who started the activity. */
  private?: readonly string[];
  /**
   * If `execute` fails, the request is refused and no activity is stored. For mistakes that only somebody
   * with the permission may learn of, such as a wrong code.
   */
  failures?: "refused";
};

/**
 * An activity: its contract, and the answers to five questions. `I` is the intent of the newest version.
 * `upgrade` converts older intents to it, and `downgrade` converts the result back to an older
 * version. `R` is the result of `read`, which runs once before all other steps.
 */
export type ActivityDeclaration<I = unknown, R = unknown> = {
  // The contract.

  /** The name in the URL, of the file (with hyphens) and of the export (in camel case). */
  name: string;
  tag: string;
  summary: string;
  description: string;
  /** The type that the SDK and the API reference use. */
  defaultType: string;
  versions: Record<string, Version>;
  /** An example of the default version's parameters. */
  example: Record<string, unknown>;
  upgrade?: Record<string, (intent: never) => I>;
  downgrade?: Record<string, (result: never) => Record<string, unknown>>;

  // 1. Who may send it?
  policy: { resource: string; action: string };
  /** By default the organization's users. */
  sentBy?: readonly Sender[];
  /** Only the root quorum may do this, regardless of policies, or only it may do what some intents ask for. */
  rootQuorumOnly?:
    | boolean
    | ((intent: I, document: OrganizationDocument, submitter: User) => boolean);
  /** True if users may do this to themselves without a policy. */
  isOwn?(intent: I, user: User, document: OrganizationDocument): boolean;
  /**
   * The user whom the request makes, if it is sent by somebody who is not a user yet. No policy is asked, so
   * `check` has to find out whether the request may do this.
   */
  newUser?(sources: NewUserSources, intent: I): User;

  // 2. What does it change?
  /** By default the document. */
  changes?: Changes | ((intent: I) => Changes);
  /**
   * What it gives that counts although no document lists it. If the request waits for votes, the document says so
   * for as long, and what a proposal gave at once before no longer counts.
   */
  givesBeside?(intent: I, context: Context): Beside | Founded | null;
  /** Whom it sends a code, a link or an invitation. The API asks the signer only for what may be sent now. */
  sendsTo?(intent: I): Addressee[];
  /** It is a vote on another activity, and the response is that activity. */
  vote?: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";

  // 3. What does it read?
  wants?(intent: I, document: OrganizationDocument, submitterId: string): Want[];
  /**
   * What it does depends on who sends it, even beyond `isOwn` and "any user". Only such an activity gets to see
   * its sender, and the same bytes of another user do not vote on it.
   */
  readsSender?: boolean;
  /** Whether it registers passkeys. Then a sub-organization needs its parent's document. */
  registersPasskeys?(intent: I): boolean;
  /** How it names a user other than by id. Policies see whom it means, as `user_id` (people/named-users.ts). */
  namesUserBy?: WayOfNaming;
  /** Fills in the defaults that `execute` uses, so that policies can read them. */
  complete?(intent: I, submitter: User, document: OrganizationDocument): I;
  /**
   * Reads the intent and the records that it asked for, such as the signing key and the
   * transaction. Refuses mistakes that a client can fix, before policies are asked.
   */
  read?(sources: Sources, intent: I): R;
  /** What policies see besides `activity`. */
  roots?(read: R): Roots;

  // 4. What does it do?
  /** Checks preconditions that a client can fix, before policies are asked. */
  check?(context: Context, intent: I, read: R): void;
  execute(context: Context, intent: I, read: R): Record<string, unknown>;

  // 5. What does it answer? The result of `execute`, by these rules.
  answer?: AnswerRules;
};

/** The sub-organization that an activity makes. Once votes have rejected that, it cannot be made. */
export type Founded = { organizationId: string };

export function isFounded(beside: Beside | Founded): beside is Founded {
  return "organizationId" in beside;
}

/**
 * Whether an activity does something else if another user sends the same bytes, or is decided by other rules.
 * Then they are a request of that user, and no vote: what a stamp means is in the stamped bytes.
 */
export function dependsOnSender(declaration: ActivityDeclaration): boolean {
  const { readsSender = false, isOwn } = declaration;
  return readsSender || isOwn !== undefined || maySend("any user", declaration);
}

/** Whether this kind of sender may send it. */
export function maySend(sender: Sender, { sentBy = USERS }: ActivityDeclaration): boolean {
  return sentBy.includes(sender);
}

const USERS: readonly Sender[] = ["user"];

/** What the activity changes, for this intent. */
export function changesOf({ changes = "document" }: ActivityDeclaration, intent: unknown): Changes {
  return typeof changes === "function" ? changes(intent) : changes;
}

/** Whether it changes the organization's document even if it does not wait for votes. */
export function changesDocument(declaration: ActivityDeclaration, intent: unknown): boolean {
  return IN_DOCUMENT.includes(changesOf(declaration, intent));
}

const IN_DOCUMENT: readonly Changes[] = ["document", "fewer credentials", "deleted organization"];

/**
 * Whether its bytes are closed once votes have decided it, although it may not change anything in the document:
 * they must not start it again.
 */
export function isRemembered(declaration: ActivityDeclaration, intent: unknown): boolean {
  const changes = changesOf(declaration, intent);
  return changes === "sessions" || changes === "codes";
}

type Intents<V extends Record<string, Version>> = {
  [T in keyof V]: z.output<V[T]["intent"]>;
};

type Definition<V extends Record<string, Version>, D extends keyof V & string, R> = Omit<
  ActivityDeclaration<Intents<V>[D], R>,
  "versions" | "defaultType" | "upgrade" | "downgrade"
> & {
  versions: V;
  defaultType: D;
  upgrade?: { [T in Exclude<keyof V, D>]?: (intent: Intents<V>[T]) => Intents<V>[D] };
  downgrade?: {
    [T in Exclude<keyof V, D>]?: (result: z.output<V[D]["result"]>) => z.output<V[T]["result"]>;
  };
};

/** Connects the types of one declaration. It does nothing at run time. */
export function defineActivity<V extends Record<string, Version>, D extends keyof V & string, R>(
  definition: Definition<V, D, R>,
): ActivityDeclaration {
  // Its steps are called only with an intent from its own schema and the result of its own `read`.
  return definition as unknown as ActivityDeclaration;
}
