import { type Made, madeAs, writeMade } from "../agents/made.ts";
import {
  allowedAlready,
  checkFile,
  namesPerson,
  newUser,
  type PersonUser,
  policiesFor,
  UNMADE_ID,
  withPerson,
} from "../agents/policies.ts";
import {
  findUnfinished,
  giveKey,
  makePolicies,
  makeUser,
  missingPolicies,
} from "../agents/unfinished.ts";
import type { Given, Surroundings } from "../command.ts";
import { type Connected, connect } from "../connection/connect.ts";
import { ID } from "../connection/members.ts";
import { checkedProfile } from "../connection/new-profile.ts";
import { checkName } from "../connection/own-folder.ts";
import { listProfiles, readProfile, writeProfile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { count, indent, plain, type Report, shown } from "../output.ts";
import { readGivenPolicies, reviewed, unmade } from "../policy-change.ts";
import { factsReport } from "../tables.ts";

/** Makes a user, policies for this user alone, and last a key, after showing what they allow. */
export async function agentCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const { env, stderr } = surroundings;
  const name = checkName(given.word(0), "the name of an agent");
  const file = given.required("policy", "a file with the policies of the agent");
  const read = await readGivenPolicies(file);
  const connected = await connect(given, surroundings);
  const { client, url, organizationId, ...pinned } = connected;
  if (pinned.quorumPublicKey === undefined) throw unpinned(url, pinned.profile);
  const policies = namesPerson(read) ? withPerson(read, await personOf(connected)) : read;
  const known = await madeAs(name, env);
  if (known !== undefined && known.organizationId !== organizationId) {
    throw new InputError(
      `there is an agent ${name} already, in the organization ${known.organizationId}: choose another name`,
    );
  }
  const { organizationData: organization } = await client.getOrganization({});
  const unrelated = checkFile(file, policies, {
    organization,
    name,
    isUnrelatedAllowed: given.has("allow-unrelated"),
  });
  const begun = await findUnfinished(name, organization, { organizationId, made: known, env });
  await checkUnused(name, { url, organizationId, begun }, surroundings);

  const shownId = begun.user?.userId ?? UNMADE_ID;
  const wanted = policiesFor({ name, userId: shownId }, policies);
  const missing = missingPolicies(wanted, organization, known);
  const plan = [
    begun.user ? `user ${name} is there` : `user ${name}, who is not a root user`,
    ...missing.map(
      ({ policyName, effect }) => `policy ${effect.replace("EFFECT_", "")} ${policyName}`,
    ),
    `key ${begun.keyFile}, for you alone`,
    `profile ${name}`,
  ];
  stderr.write(
    `${shown(["agent create makes, in this order:", ...indent(plan.map(plain))].join("\n"))}\n`,
  );
  const already = allowedAlready(organization, { name, userId: shownId });
  if (already !== undefined) {
    stderr.write(
      `keyhearth: the policy ${JSON.stringify(plain(already))} already lets every user sign something, and so the agent too\n`,
    );
  }
  const users = [
    ...(organization.users ?? []),
    ...(begun.user ? [] : [newUser({ name, userId: shownId })]),
  ];
  const comparison = await reviewed(surroundings, {
    organization: { ...organization, users },
    after: (before) => [...before, ...missing.map(unmade)],
    question: `Create the agent ${name} with ${count(missing.length, "policy", "policies")}?`,
    hasYes: given.has("yes"),
  });

  const userId = known?.userId ?? (await makeUser(name, organizationId, client));
  try {
    const begunNow: Made = known ?? { organizationId, userId, policies: [] };
    await writeMade(name, begunNow, env);
    const agent = { name, userId };
    const real = missingPolicies(policiesFor(agent, policies), organization, known);
    const [, ...shared] = policiesFor(agent, unrelated).map(({ policyName }) => policyName);
    const added = await makePolicies(real, shared, client);
    const isReplaced = ({ policyName }: { policyName: string }) =>
      added.some((each) => each.policyName === policyName);
    const before = begunNow.policies.filter((each) => !isReplaced(each));
    await writeMade(name, { ...begunNow, policies: [...before, ...added] }, env);
    const keyFile = await giveKey({ name, userId }, begun, { client, organizationId, env });
    const wantedProfile = { name, url, key: keyFile, organizationId };
    const { profile, who } = await checkedProfile(wantedProfile, surroundings);
    if (who.userId !== userId) {
      throw new InputError(
        `the service says that the new key is of another user, ${plain(who.userId)}: check its address`,
      );
    }
    await writeProfile({ ...profile, ...pinned.pinned }, env, { isReplaced: true });
    return factsReport(
      {
        userId,
        policyNames: wanted.map(({ policyName }) => policyName),
        keyFile,
        profile: name,
        comparison,
      },
      [
        ["agent", `${name} (${userId})`],
        ...wanted.map(({ policyName }) => ["policy", policyName] as const),
        ["key file", keyFile],
        ["next", `keyhearth mcp --profile ${name}`],
      ],
    );
  } catch (error) {
    stderr.write(
      `keyhearth: the agent ${name} (${plain(userId)}) is not finished, and can do nothing yet. The same command goes on; \`keyhearth agent remove ${name}\` takes it back\n`,
    );
    throw error;
  }
}

/**
 * The user of the key, whose approval the policies will need. The id is that of the profile or the key file, and the service
 * has to say the same: by its word alone, it could have another agent approve.
 */
async function personOf({ client, userId, profile, key }: Connected): Promise<PersonUser> {
  const where = profile === null ? plain(key.path) : `the profile ${profile}`;
  // Others could end the text of a clause.
  if (userId === undefined || !ID.test(userId)) {
    throw new InputError(
      `{{person}} stands for the user of your key, and ${where} does not name it: add a profile that does with \`keyhearth profile add NAME --key FILE\`, or write the id of a user into the file`,
    );
  }
  const who = await client.whoami();
  if (who.userId !== userId) {
    throw new InputError(
      `the service says that your key is of another user, ${plain(who.userId)}, than ${where} names, ${plain(userId)}, so nothing was made: check its address`,
    );
  }
  return { name: plain(who.username), userId };
}

/** The ids that are answered become parts of policies, so the signer has to state them. */
function unpinned(url: string, profile: string | null): InputError {
  const which = profile === null ? "there is no profile" : `the profile ${profile} has none`;
  return new InputError(
    `the policies of an agent have the id of its user in them, which the service could choose without a pinned quorum key, and ${which}: pin the keys with \`keyhearth profile add NAME --url ${plain(url)} --key FILE\`, and add --profile NAME`,
  );
}

/** Neither a profile nor a key of this name that belongs to something else. */
async function checkUnused(
  name: string,
  {
    url,
    organizationId,
    begun: { user, keyFile, publicKey },
  }: { url: string; organizationId: string; begun: Awaited<ReturnType<typeof findUnfinished>> },
  { env }: Surroundings,
): Promise<void> {
  if (user === undefined && publicKey !== undefined) {
    throw new InputError(
      `there is a key ${name} already, in ${plain(keyFile)}: choose another name`,
    );
  }
  const { names } = await listProfiles(env);
  if (!names.includes(name)) return;
  const profile = await readProfile(name, env);
  const isSame = profile.url === url && profile.organizationId === organizationId;
  if (isSame && profile.keyFile === keyFile && user !== undefined) return;
  throw new InputError(
    `there is a profile ${name} already: choose another name, or remove it with \`keyhearth profile remove ${name}\``,
  );
}
