import { checkAll, invalid } from "../errors.ts";
import {
  findProxyUser,
  PROXY_FEATURE,
  type ProxySettings,
  readProxySettings,
  settingsAt,
} from "../people/auth-proxy.ts";
import { takenPublicKeys } from "../people/taken-keys.ts";
import type { PersonTools } from "../people/tools.ts";
import { addUsers, checkNewUsers, type NewUser } from "../people/users.ts";
import {
  type CreatePolicyIntentV3,
  checkPolicyLimit,
  newPolicy,
} from "../policies/policy-parameters.ts";
import { checkPolicySize } from "../policies/policy-size.ts";
import type { OrganizationDocument, Policy, User } from "../records/organization.ts";

// The login proxy stamps with the key of an ordinary user, whom the submission that switches it on makes, with
// policies of its own. So the core decides about each of its requests as about any other (decision 26).

const USER_NAME = "Login proxy";

function newUserOf({ publicKey }: ProxySettings): NewUser {
  const apiKey = { apiKeyName: USER_NAME, publicKey, curveType: "API_KEY_CURVE_P256" as const };
  return { userName: USER_NAME, apiKeys: [apiKey] };
}

const nameOfPolicies = (userId: string) => `login proxy ${userId}`;

/**
 * They name types, not kinds: a later version of a type may say more, and the proxy does not send it. Sign-ups have a
 * policy apart, because their parameters cannot be read of other requests.
 */
function policiesOf(settings: ProxySettings, userId: string): CreatePolicyIntentV3[] {
  const { methods, oauthClientIds, signUp, plainCodes } = settings;
  const hasCodes = methods.includes("email") || methods.includes("sms");
  const types = [
    ...(hasCodes ? ["INIT_OTP_V3", "VERIFY_OTP_V2", "OTP_LOGIN_V2"] : []),
    ...(hasCodes && plainCodes ? ["VERIFY_OTP"] : []),
    ...(Object.keys(oauthClientIds).length > 0 ? ["OAUTH_LOGIN", "OAUTH2_AUTHENTICATE"] : []),
  ];
  const common = {
    effect: "EFFECT_ALLOW" as const,
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: `What the login proxy asks for. ${PROXY_FEATURE} made it, and removing the feature deletes it.`,
  };
  // Passkeys and wallets log in without the proxy.
  const logins = {
    ...common,
    policyName: `${nameOfPolicies(userId)}: codes and logins`,
    condition: types.map((type) => `activity.type == 'ACTIVITY_TYPE_${type}'`).join(" || "),
  };
  const signUps = {
    ...common,
    policyName: `${nameOfPolicies(userId)}: sign-ups`,
    condition:
      "activity.type == 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8' && activity.params.root_users.count() == 1",
  };
  return [...(types.length > 0 ? [logins] : []), ...(signUp ? [signUps] : [])];
}

type Tools = Pick<PersonTools, "document" | "records" | "registrations" | "newId" | "nowMs"> &
  PersonTools;

/** Refuses a key that another user has, before anybody decides. */
export function checkProxy(context: Tools, value: string | undefined) {
  const settings = readProxySettings(value);
  const { document } = context;
  if (document.parentOrganizationId !== null) {
    throw invalid(
      "parameters.name",
      `\`parameters.name\` is ${PROXY_FEATURE}: only a top-level organization has a login proxy, for its sub-organizations`,
    );
  }
  const known = findProxyUser(document);
  const given = policiesOf(settings, nobody);
  const others = document.policies.filter((each) => !known || !isPolicyOf(each, known.userId));
  const withoutOwn = { ...document, policies: others };
  checkAll(
    () => checkUser(context, known, settings),
    () => checkPolicyLimit(withoutOwn, given.length, settingsAt),
    () => checkPolicySize(withoutOwn, { given }, settingsAt),
  );
}

function checkUser(context: Tools, known: User | undefined, settings: ProxySettings) {
  const { document } = context;
  const field = `${settingsAt}.publicKey`;
  if (known && isKeyOf(known, settings)) {
    if (hasOnlyItsKey(known)) return;
    throw invalid(
      field,
      `\`${field}\` belongs to user \`${known.userId}\`, who can be somebody else, because there are other credentials or a contact: delete that user first, with delete_users`,
    );
  }
  checkAll(
    () => assertDeletable(document, known),
    () => {
      if (!takenPublicKeys(context).has(settings.publicKey)) return;
      throw invalid(field, `\`${field}\` belongs to a user already: delete the key there first`);
    },
    () => checkNewUsers(context, [newUserOf(settings)], settingsAt),
  );
}

/** Anybody can register the proxy's public key for themselves, once the organization has deleted it. */
function hasOnlyItsKey(user: User): boolean {
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = user;
  const contacts = [userEmail, userPhoneNumber].filter((contact) => contact !== null);
  return apiKeys.length + authenticators.length + oauthProviders.length + contacts.length === 1;
}

const nobody = "00000000-0000-0000-0000-000000000000";

/** Refuses to delete a proxy's user who has a vote in the root quorum. */
export function checkProxyRemoval(document: OrganizationDocument) {
  assertDeletable(document, findProxyUser(document));
}

function assertDeletable({ rootQuorum }: OrganizationDocument, user: User | undefined) {
  if (!user || !rootQuorum.userIds.includes(user.userId)) return;
  throw invalid(
    "parameters.name",
    `quorum users missing: user \`${user.userId}\` of the login proxy is in the root quorum; change the quorum first, with update_root_quorum`,
    "QUORUM_INVALID",
  );
}

/** Gives the proxy its user and its policies. The one that it had stays if its key does. */
export function switchProxyOn(context: Tools, value: string | undefined) {
  const settings = readProxySettings(value);
  const known = findProxyUser(context.document);
  const isKept = known !== undefined && isKeyOf(known, settings);
  if (known && !isKept) deleteUser(context, known.userId);
  const userId = isKept ? known.userId : addUsers(context, [newUserOf(settings)])[0];
  if (userId === undefined) throw new Error("a proxy without a user");
  const draft = context.update();
  const made = policiesOf(settings, userId).map((policy, index) =>
    newPolicy(policy, { policyId: context.newId(`policy/${index}`), nowMs: context.nowMs }),
  );
  draft.policies = [...draft.policies.filter((each) => !isPolicyOf(each, userId)), ...made];
}

function isPolicyOf({ policyName }: Policy, userId: string): boolean {
  return policyName.startsWith(`${nameOfPolicies(userId)}: `);
}

/** Deletes the proxy's user and policies. */
export function switchProxyOff(context: Tools) {
  const user = findProxyUser(context.document);
  if (user) deleteUser(context, user.userId);
}

function isKeyOf({ apiKeys }: User, { publicKey }: ProxySettings): boolean {
  return apiKeys.some(({ credential }) => credential.publicKey === publicKey);
}

function deleteUser(context: Tools, gone: string) {
  const draft = context.update();
  draft.users = draft.users.filter(({ userId }) => userId !== gone);
  draft.imports = draft.imports.filter(({ userId }) => userId !== gone);
  draft.invitations = draft.invitations.filter(
    ({ senderUserId, creatorUserId }) => senderUserId !== gone && creatorUserId !== gone,
  );
  draft.policies = draft.policies.filter((each) => !isPolicyOf(each, gone));
}
