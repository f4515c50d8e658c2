import type { Random } from "../fuzz/random.ts";
import type { Habits } from "./habits.ts";
import { isAccount, isSameCount, kinds, ownerOf } from "./kinds.ts";
import type { Wish } from "./plan.ts";
import type { State } from "./state.ts";
import { KEYS, PASSKEYS } from "./wire.ts";
import type { World } from "./world.ts";

// What people ask for, by chance.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Wishing = { by: string; state: State | undefined; id: string };

/** Something that can be about what there is, if there is anything. */
export function chooseWish(random: Random, world: World, habits: Habits, wishing: Wishing): Wish {
  for (let tries = 0; ; tries++) {
    const wish = chooseAny(random, world, habits, wishing);
    if ((wish.thing !== "" && wish.token !== "") || tries === 4) return wish;
  }
}

function chooseAny(random: Random, world: World, habits: Habits, { by, state, id }: Wishing): Wish {
  // Codes of sub-organizations need their parent's document, which is not among the records of these plans.
  const here = state?.isSub ? habits.kinds.filter((each) => !/_otp$/.test(each)) : habits.kinds;
  const kind = here.length > 0 ? random.pick(here) : "create_user_tag";
  const names = [...world.things].map(([name]) => name);
  const users = names.filter((name) => state?.users.has(world.things.get(name) ?? ""));
  const userOf = (key: string) =>
    users.find((name) =>
      [...(state?.users.get(world.things.get(name) ?? "")?.keys.values() ?? [])].includes(key),
    );
  const people = users.length > 0 ? users : ["ada"];
  const self = userOf(by) ?? random.pick(people);
  const user = random.oneIn(3) && users.length > 0 ? random.pick(users) : self;
  const among = (has: (thing: string) => boolean) => {
    const some = names.filter((name) => has(world.things.get(name) ?? ""));
    return some.length > 0 ? random.pick(some) : "";
  };
  // Honest people use a key for one thing. Session keys and API keys can meet in other plans.
  const { isHonest } = world.plan;
  const apiKeys = KEYS.slice(5, 12);
  const sessionKeys = isHonest ? KEYS.slice(12, 16) : KEYS.slice(10, 16);
  const seconds = random.pick([undefined, 60, 900, 3600, 86_400]);
  switch (kind) {
    case "create_user_tag":
    case "create_private_keys":
      return { kind, name: random.oneIn(5) ? "same" : id };
    case "delete_user_tags":
      return { kind, thing: among((each) => state?.tags.has(each) ?? false) };
    case "create_policy":
      return {
        kind,
        name: random.oneIn(6) ? "same" : id,
        policy: choosePolicy(random, world, habits, users),
      };
    case "delete_policy":
      return { kind, thing: among((each) => state?.policies.has(each) ?? false) };
    case "update_root_quorum": {
      const count = 1 + random.below(3);
      const chosen = [
        ...new Set(["ada", ...Array.from({ length: count }, () => random.pick(people))]),
      ];
      return { kind, users: chosen, threshold: 1 + random.below(Math.min(2, chosen.length)) };
    }
    case "create_users":
      return { kind, name: id, key: random.pick(apiKeys) };
    case "delete_users": {
      const isUser = (each: string) => state?.users.has(each) ?? false;
      const isOutside = (each: string) => isUser(each) && !state?.quorum.userIds.includes(each);
      const asking = new Set([...(state?.waiting.values() ?? [])].map(({ userId }) => userId));
      const tempting = among((each) => isOutside(each) && asking.has(each));
      if (tempting !== "" && random.oneIn(2)) return { kind, thing: tempting };
      return { kind, thing: among(random.oneIn(4) ? isUser : isOutside) };
    }
    case "update_user_name":
      return { kind, thing: user, name: random.oneIn(2) ? "same" : id };
    case "create_api_keys":
      return {
        kind,
        user,
        key: random.pick(apiKeys),
        ...(random.oneIn(3) && { seconds: seconds ?? 900 }),
      };
    case "delete_api_keys": {
      const keys = new Set(
        [...(state?.users.values() ?? [])].flatMap(({ keys }) => [...keys.keys()]),
      );
      for (const { apiKeyId } of world.facts.grants) if (apiKeyId) keys.add(apiKeyId);
      const isApproving = (each: string) =>
        [...(state?.waiting.values() ?? [])].some(({ approvals }) =>
          approvals.some(({ credential }) => credential === each),
        );
      const tempting = random.oneIn(2) ? among((each) => keys.has(each) && isApproving(each)) : "";
      const thing = tempting !== "" ? tempting : among((each) => keys.has(each));
      const keyId = world.things.get(thing) ?? "";
      const owner = users.find((name) =>
        state?.users.get(world.things.get(name) ?? "")?.keys.has(keyId),
      );
      return { kind, user: random.oneIn(6) ? user : (owner ?? user), thing };
    }
    case "log_out_everywhere": {
      // A user who got a code has something that ends.
      const contact = world.facts.codes.at(-1)?.contact;
      const owner = state && contact !== undefined ? ownerOf(state, contact) : undefined;
      const receiver = users.find((name) => world.things.get(name) === owner);
      return { kind, user: receiver !== undefined && !random.oneIn(3) ? receiver : user };
    }
    case "stamp_login":
      return {
        kind,
        key: random.pick(sessionKeys),
        ...(seconds && { seconds }),
        ...(random.oneIn(4) && { endsOthers: true }),
      };
    case "create_read_write_session":
      return {
        kind,
        ...(random.oneIn(2) && { user }),
        ...(seconds && { seconds }),
        ...(random.oneIn(4) && { endsOthers: true }),
      };
    case "delete_private_keys":
    case "export_private_key":
      return { kind, thing: among((each) => state?.privateKeys.has(each) ?? false) };
    case "sign_raw_payload": {
      const all = names.filter((name) => name.endsWith(".account"));
      const ended = all.filter((name) => state && isDeleted(world, state, name));
      const voted = all.filter((name) => state && isVotedElsewhere(world, state, name));
      const tempting = voted.length > 0 && random.oneIn(2) ? voted : ended;
      const accounts = tempting.length > 0 && random.oneIn(2) ? tempting : all;
      const isAccount = accounts.length > 0 && random.oneIn(2);
      return {
        kind,
        thing: isAccount
          ? random.pick(accounts)
          : among((each) => state?.privateKeys.has(each) ?? false),
      };
    }
    case "create_wallet":
      return {
        kind,
        name: random.oneIn(5) ? "same" : id,
        path: random.oneIn(2) ? PATH : "",
      };
    case "delete_wallets":
      return { kind, thing: among((each) => state?.wallets.has(each) ?? false) };
    case "create_wallet_accounts":
      return {
        kind,
        thing: among((each) => state?.wallets.has(each) ?? false),
        path: random.oneIn(5) ? PATH : "m/44'/60'/0'/0/1",
      };
    case "delete_wallet_accounts": {
      const isHere = (each: string) =>
        state !== undefined && isAccount({ ...world.facts, state }, each);
      const early = among((each) => isHere(each) && isAhead(world, each));
      if (early !== "" && random.oneIn(2)) return { kind, thing: early };
      return { kind, thing: among(isHere) };
    }
    case "update_user_email": {
      const tokens = names.filter((name) => name.endsWith(".token"));
      const keyOf = (name: string) =>
        world.facts.tokens.find(({ text }) => text === world.things.get(name))?.key;
      // A token proves the contact only for the key that it names.
      const own = tokens.filter((name) => keyOf(name) === by);
      const verified = own.length > 0 && !random.oneIn(4) ? own : tokens;
      const isProven = verified.length > 0 && !random.oneIn(4);
      const token = isProven ? random.pick(verified).replace(".token", "") : undefined;
      const contact = world.facts.tokens.find(
        ({ text }) => text === world.things.get(`${token}.token`),
      )?.contact;
      const email = contact !== undefined && !random.oneIn(5) ? contact : random.pick(EMAILS);
      return { kind, user, email, ...(token !== undefined && { token }) };
    }
    case "init_otp":
      return wishForCode(random, world, habits);
    case "verify_otp": {
      const { codes, guesses } = world.facts;
      const open = codes.filter(({ usedBy, untilMs }) => usedBy === null && untilMs > world.nowMs);
      if (open.length === 0 && !random.oneIn(6)) return wishForCode(random, world, habits);
      const left = open.filter((code) => code.wrong.size < 3);
      if (left.length === 0 && habits.guesses > 2 && !random.oneIn(6)) {
        return wishForCode(random, world, habits);
      }
      const some = open.length === 0 || random.oneIn(6) ? codes : left.length > 0 ? left : open;
      const chosen = some.length > 0 ? random.pick(some) : undefined;
      const sent = (each: string) => each === chosen?.otpId;
      // What is locked must not open to the right code either.
      const { wrong = 0 } = guesses.find((each) => chosen && isSameCount(each, chosen)) ?? {};
      const isLocked = (chosen?.wrong.size ?? 0) >= 3 || wrong >= 15;
      const isRight = random.oneIn(isLocked ? 2 : habits.guesses);
      const code = isRight ? "right" : `WRONG${random.below(4)}`;
      // The key of a person, so that a contact can be proven with it, or that of the session.
      const key = random.oneIn(2) ? by : random.pick(sessionKeys);
      return { kind, thing: among(sent), code, key: KEYS.includes(key) ? key : "k12" };
    }
    case "otp_login": {
      const verified = names.filter((name) => name.endsWith(".token"));
      const token = verified.length > 0 ? random.pick(verified).replace(".token", "") : "";
      const named = world.facts.tokens.find(
        ({ text }) => text === world.things.get(`${token}.token`),
      )?.key;
      const key = named && !random.oneIn(4) ? named : random.pick(sessionKeys);
      const signedBy = named && !random.oneIn(5) ? named : key;
      return {
        kind,
        token,
        key: random.oneIn(3) ? random.pick(sessionKeys) : key,
        signedBy,
        ...(random.oneIn(4) && { signedFor: random.pick(sessionKeys) }),
        ...(random.oneIn(4) && { endsOthers: true }),
      };
    }
    case "create_invitations":
      return { kind, name: id, user, email: "guest@example.com" };
    case "delete_invitation":
      return { kind, thing: among((each) => state?.invitations.has(each) ?? false) };
    case "accept_invitation": {
      const key = PASSKEYS.includes(by) ? by : random.pick(PASSKEYS);
      const letters = [...world.mails.keys()].filter((name) => world.things.has(name));
      const accepted = [...world.requests].filter(([, { ask }]) => ask.kind === kind);
      const isCopied = !isHonest && accepted.length > 0 && random.oneIn(3);
      if (isCopied) return { kind, key, copied: random.pick(accepted)[0] };
      const letter = letters.length > 0 ? random.pick(letters) : "";
      return { kind, key, thing: letter, letter };
    }
    case "create_sub_organization":
      return { kind, name: id, key: random.pick(KEYS.slice(16)) };
    case "delete_sub_organization":
    case "delete_organization":
      return { kind };
    default:
      throw new Error(`no wish of kind ${kind}`);
  }
}

/** Whether the request that made the account has a timestamp that is still to come. */
function isAhead({ facts, firstSteps, requests, nowMs }: World, accountId: string): boolean {
  const making = facts.makings.find((each) => each.accountId === accountId);
  const maker = requests.get(firstSteps.get(making?.fingerprint ?? "") ?? "");
  return maker !== undefined && maker.ask.timestampMs > nowMs;
}

/** Whether votes decided the account that were not committed, or it was made before its request waited. */
function isVotedElsewhere(
  { things, facts }: World,
  { voted, waited }: State,
  name: string,
): boolean {
  const making = facts.makings.find(({ accountId }) => accountId === things.get(name));
  if (!making) return false;
  return making.votedAs === null ? waited.has(making.request) : !voted.has(making.votedAs);
}

/** Somebody who guesses goes on at the contact that is nearly locked. */
function wishForCode(random: Random, { facts }: World, habits: Habits): Wish {
  const [guessed] = facts.guesses.toSorted((a, b) => b.wrong - a.wrong);
  const isKept = guessed !== undefined && habits.guesses > 2 && !random.oneIn(4);
  const email = isKept
    ? guessed.contact
    : random.oneIn(2)
      ? "clerk@example.com"
      : random.pick(EMAILS);
  return { kind: "init_otp", email };
}

/** Whether an account at this place was ever deleted. */
function isDeleted({ things, facts }: World, { wallets }: State, name: string): boolean {
  const making = facts.makings.find(({ accountId }) => accountId === things.get(name));
  return making !== undefined && (wallets.get(making.walletId)?.deleted.has(making.path) ?? false);
}

const EMAILS = ["ada@example.com", "both@example.com", "clerk@example.com", "new@example.com"];

const PATH = "m/44'/60'/0'/0/0";

function choosePolicy(
  random: Random,
  world: World,
  habits: Habits,
  users: string[],
): NonNullable<Wish["policy"]> {
  const subject = kinds[random.pick(habits.kinds)]?.subject;
  const some = users.length > 0 ? users : ["ada"];
  const consensus = random.pick([
    null,
    { users: ["clerk"] },
    { users: [random.pick(some)] },
    { users: [...new Set([random.pick(some), random.pick(some)])] },
    { count: 2 },
  ]);
  const time = random.pick([
    null,
    null,
    { untilMs: world.nowMs + random.pick([10 * MINUTE, 2 * HOUR]) },
    { fromMs: world.nowMs + random.pick([10 * MINUTE, 2 * HOUR]) },
  ]);
  const effect = random.oneIn(4) ? "DENY" : "ALLOW";
  return { effect, about: random.oneIn(8) ? null : (subject ?? null), consensus, time };
}
