import { randomUUID } from "node:crypto";
import { newKey } from "@keyhearth/api/testing";
import { claimsIn, codeOf, credentialOf, serverOf } from "@keyhearth/engine/oauth2-logins.testing";
import {
  type Oauth2Provider,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  ask,
  edit,
  makePolicy,
  newVictim,
  perform,
  quorum,
  reject,
  resultOf,
  send,
  stampOf,
  type Victim,
} from "./attacker.ts";

// A code of a provider that only speaks OAuth 2.0 becomes a token that logs somebody in. The attacker is the host, which
// carries the codes, or has a key that the token names.

let server: Attacked;
let provider: Oauth2Provider;

beforeAll(async () => {
  provider = await startOauth2Provider();
  server = Object.assign(await serverOf(provider), { lines: [] });
});

afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

/** A parent with a client of the provider. */
async function newParent(): Promise<Victim & { oauth2CredentialId: string }> {
  const parent = await newVictim(server);
  const reply = await perform(server, parent, {
    endpoint: "create_oauth2_credential",
    type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL",
    parameters: credentialOf(server),
  });
  const { oauth2CredentialId } = resultOf(reply, "createOauth2CredentialResult");
  return { ...parent, oauth2CredentialId: String(oauth2CredentialId) };
}

function exchange(oauth2CredentialId: string, given: object): Ask {
  return {
    endpoint: "oauth2_authenticate",
    type: "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE",
    parameters: { oauth2CredentialId, ...given },
  };
}

const tokenIn = (reply: Parameters<typeof resultOf>[0]) =>
  String(resultOf(reply, "oauth2AuthenticateResult").oidcToken);

test("a code that comes again after its user logged out everywhere starts no session", async () => {
  const parent = await newParent();
  const { oauth2CredentialId } = parent;
  const { given, key } = codeOf(provider);
  const exchanged = await perform(server, parent, exchange(oauth2CredentialId, given));
  const oidcToken = tokenIn(exchanged);
  const owner = newKey();
  const made = await perform(server, parent, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: "Ada",
      rootUsers: [
        {
          userName: "Ada",
          apiKeys: [
            { apiKeyName: "k", publicKey: owner.publicKey, curveType: "API_KEY_CURVE_P256" },
          ],
          authenticators: [],
          oauthProviders: [{ providerName: "Discord", oidcToken }],
        },
      ],
      rootQuorumThreshold: 1,
    },
  });
  const { subOrganizationId, rootUserIds } = resultOf(made, "createSubOrganizationResultV7") as {
    subOrganizationId: string;
    rootUserIds: [string];
  };
  const person = { userId: rootUserIds[0], key: owner };
  const child: Victim = { organizationId: subOrganizationId, people: [person] };
  const logIn = (token: string): Ask => ({
    endpoint: "oauth_login",
    type: "ACTIVITY_TYPE_OAUTH_LOGIN",
    parameters: { oidcToken: token, publicKey: key.publicKey },
  });
  const parentKey = parent.people[0].key;
  expect(await ask(server, child, logIn(oidcToken), parentKey)).toMatchObject({ status: 200 });

  server.clock.offsetMs += 60_000;
  await perform(server, child, {
    endpoint: "log_out_everywhere",
    type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
    parameters: { userId: person.userId },
  });

  // The host hides that the code was exchanged, and sends the same bytes to the signer.
  server.clock.offsetMs += 60_000;
  await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [
    parent.organizationId,
  ]);
  const { body } = exchanged;
  const again = await send(server, "oauth2_authenticate", body, stampOf(parentKey, body));
  expect(again).toMatchObject({ status: 200 });
  const second = tokenIn(again);
  const refused = await ask(server, child, logIn(second), parentKey);
  expect(refused).toMatchObject({ status: 400, reason: "OIDC_TOKEN_INVALID" });
  // It is as old as what the provider said.
  expect(claimsIn(second).iat).toBe(claimsIn(oidcToken).iat);
});

test("wrong codes of an organization reach the provider a few times in a minute, and those of others still do", async () => {
  const parent = await newParent();
  const wrong = () => {
    const { given } = codeOf(provider);
    return exchange(parent.oauth2CredentialId, { ...given, authCode: randomUUID() });
  };
  provider.requests.length = 0;
  for (let i = 0; i < 4; i++) {
    const asked = Array.from({ length: 15 }, () => ask(server, parent, wrong()));
    for (const reply of await Promise.all(asked)) {
      expect(reply).toMatchObject({ status: 400, reason: "OAUTH2_EXCHANGE_FAILED" });
    }
  }
  expect(await ask(server, parent, wrong())).toMatchObject({
    status: 429,
    reason: "RATE_LIMITED",
    message: expect.stringMatching(/60 codes of this organization .* failed within a minute/),
  });
  expect(provider.requests).toHaveLength(60);
  const other = await newParent();
  await perform(server, other, exchange(other.oauth2CredentialId, codeOf(provider).given));
});

test("a token that was made at once does not count once votes rejected the same bytes", async () => {
  const parent = await newParent();
  const { oauth2CredentialId, organizationId } = parent;
  const [owner] = parent.people;
  const clerk = await addUser(server, parent);
  const second = await addUser(server, parent);
  const mayFound = {
    condition: "activity.resource == 'ORGANIZATION' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${clerk.userId}')`,
  };
  await perform(server, parent, makePolicy("clerk", "EFFECT_ALLOW", mayFound));
  const { given } = codeOf(provider);
  const exchanged = await perform(server, parent, exchange(oauth2CredentialId, given));
  const signUp: Ask = {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: "Ada",
      rootUsers: [
        {
          ...{ userName: "Ada", apiKeys: [], authenticators: [] },
          oauthProviders: [{ providerName: "Discord", oidcToken: tokenIn(exchanged) }],
        },
      ],
      rootQuorumThreshold: 1,
    },
  };
  // The host hides it, and the rules become stricter.
  await edit(server, "DELETE FROM activities WHERE organization_id = $1::uuid", [organizationId]);
  await perform(server, parent, quorum(2, [owner.userId, second.userId]));
  const { body } = exchanged;
  const again = await send(server, "oauth2_authenticate", body, stampOf(owner.key, body));
  expect(again.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  await perform(server, parent, reject(again.activity?.fingerprint ?? ""), second.key);
  const made = await ask(server, parent, signUp, clerk.key);
  expect(made).toMatchObject({ status: 400, reason: "OIDC_TOKEN_INVALID", activity: undefined });
});
