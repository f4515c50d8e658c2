import { ConsensusNeeded } from "@keyhearth/sdk";
import {
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseEther,
  parseTransaction,
  recoverTransactionAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../start/browser.ts";
import { axeClean, heading, newPerson, type Person, startWorld, type World } from "./harness.ts";
import {
  logInByKey,
  type Member,
  openTreasury,
  payment,
  propose,
  type Treasury,
} from "./treasury.ts";

/** Would say that it ran, if anything took it for more than text. */
const hostile = "<img src=x onerror=document.title='ran'>";

describe.runIf(hasBrowser)("in three browsers,", () => {
  let world: World;
  let treasury: Treasury;
  const people: Record<string, Person> = {};

  beforeAll(async () => {
    world = await startWorld();
    treasury = await openTreasury(world, hostile);
    for (const name of ["ada", "bob", "cleo"]) people[name] = await newPerson(world);
  }, 120_000);
  afterAll(async () => {
    await closePages();
    await world?.product.stop();
  });

  test("two of three treasurers sign a payment, which reaches all of them at once", async () => {
    const { ada, bob, cleo } = people as Record<"ada" | "bob" | "cleo", Person>;
    const { members } = treasury;
    await logInByKey(bob, members.bob, {
      path: "/activities?status=waiting",
      title: "Activities",
    });
    await bob.page.getByText("Nothing fits these filters").waitFor();

    // The payment of Ada's program arrives in Bob's list by itself.
    const memo = `0x${Buffer.from(hostile).toString("hex")}` as Hex;
    const id = await propose(treasury, members.ada, payment("2.5", { data: memo }));
    const proposedAt = performance.now();
    await bob.page.getByRole("link", { name: "Sign transaction" }).waitFor();
    expect(performance.now() - proposedAt).toBeLessThan(2000);
    await bob.page.getByRole("link", { name: "Activities 1 wait for you" }).waitFor();
    await axeClean(bob.page, "Activities that wait");

    // Ada and Cleo look at it while Bob decides.
    await logInByKey(ada, members.ada, { path: `/activities/${id}`, title: "Sign transaction" });
    await logInByKey(cleo, members.cleo, { path: `/activities/${id}`, title: "Sign transaction" });
    await ada.page.getByText("Waits for approvals").first().waitFor();
    expect(await ada.page.getByRole("button", { name: "Approve…" }).count()).toBe(0);
    const missing = cleo.page.getByRole("list").filter({ hasText: members.bob.name });
    await missing.first().waitFor();
    expect(await missing.first().textContent()).toContain(members.cleo.name);
    await cleo.page.getByText("2.5 ETH").waitFor();
    await cleo.page.getByText("0x8ba1f109551bD432803012645Ac136ddd64DBA72").first().waitFor();
    await cleo.page.getByText(memo, { exact: true }).waitFor();
    await cleo.page.getByText("Its fingerprint and its signature are right").waitFor();
    await cleo.page.locator("mark", { hasText: ">= 2" }).waitFor();
    await axeClean(cleo.page, "Activity that waits");

    await bob.page.getByRole("link", { name: "Sign transaction" }).click();
    await bob.page.getByRole("button", { name: "Approve…" }).click();
    const dialog = bob.page.getByRole("alertdialog", { name: "Approve this?" });
    await dialog.getByText("2.5 ETH").waitFor();
    const approvedAt = performance.now();
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await Promise.all(
      [ada, cleo].map(({ page }) => page.getByText("Completed", { exact: true }).waitFor()),
    );
    const tookMs = performance.now() - approvedAt;
    expect(tookMs).toBeLessThan(2000);

    // What all of them see is a payment that viem takes, signed by the treasury.
    const result = ada.page.getByRole("region", { name: "Result" });
    const signed = `0x${await result.locator(".mono").first().textContent()}` as Hex;
    expect(parseTransaction(signed)).toMatchObject({ value: parseEther("2.5"), data: memo });
    const sender = await recoverTransactionAddress({
      serializedTransaction: signed as `0x02${string}`,
    });
    expect(sender).toBe(treasury.address);

    // The receipt comes some seconds later, and is verified in the browser.
    await ada.page.getByText("Verified in this browser").waitFor({ timeout: 60_000 });
  }, 120_000);

  test("several are decided at once, with a passkey for each", async () => {
    const { bob, cleo } = people as Record<"bob" | "cleo", Person>;
    const { members } = treasury;
    const ids: string[] = [];
    // The last one calls a contract whose interface the organization has, with a text that turns around.
    const abi = parseAbi(["function pay(string memo)"]);
    await treasury.root.createSmartContractInterface({
      smartContractAddress: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
      smartContractInterface: JSON.stringify(abi),
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label: hostile,
    });
    const data = encodeFunctionData({ abi, functionName: "pay", args: ["to\u202Emoc.live\u200B"] });
    // A name with something in it that nobody sees.
    const { userId, name } = members.ada;
    await treasury.root.updateUser({ userId, userName: `${name}\u200B` });
    for (const nonce of [1, 2, 3]) {
      ids.push(
        await propose(treasury, members.ada, payment("1", { nonce, ...(nonce === 3 && { data }) })),
      );
    }
    // Cleo has a passkey in her browser.
    await givePasskey(cleo, members.cleo);
    await cleo.open("/activities?status=waiting");
    await heading(cleo.page, "Activities");
    const boxes = cleo.page.getByRole("checkbox", { name: /Choose Sign transaction/ });
    await expect.poll(() => boxes.count()).toBe(3);
    for (const index of [0, 1]) await boxes.nth(index).check({ force: true });
    await cleo.page.getByText("2 are chosen").waitFor();
    await cleo.page.getByRole("button", { name: "Approve…" }).click();
    const dialog = cleo.page.getByRole("alertdialog", { name: "Approve 2 activities?" });
    await dialog.getByText("Your passkey.").waitFor();
    await dialog.getByText(`asked by ${name}\\u{200b}`).first().waitFor();
    await dialog.getByText("Calls pay of a contract").waitFor();
    await dialog.getByText("“to\\u{202e}moc.live\\u{200b}”").waitFor();
    await dialog.getByText(`Read by “${hostile}”`).waitFor();
    await axeClean(cleo.page, "Approve several");
    await dialog.getByRole("button", { name: "Approve 2 activities" }).click();
    await cleo.page.getByText("Approved: 2 activities").waitFor();
    await expect.poll(() => boxes.count()).toBe(1);
    const { activity } = await members.cleo.client.getActivity({ activityId: ids[2] ?? "" });
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(activity.votes.at(-1)).toMatchObject({
      userId: members.cleo.userId,
      scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN",
    });

    // Bob has only the key of his session, and rejects the last one.
    await bob.open(`/activities/${ids[0]}`);
    await heading(bob.page, "Sign transaction");
    await bob.page.getByRole("button", { name: "Reject…" }).click();
    await bob.page
      .getByRole("alertdialog", { name: "Reject this?" })
      .getByRole("button", { name: "Reject", exact: true })
      .click();
    await bob.page.getByText("Rejected: Sign transaction").waitFor();
    await bob.page.locator(".tag", { hasText: /^Rejected$/ }).waitFor();
  });

  test("why something failed is shown, with what to do, and nothing of it was run as a script", async () => {
    const { bob } = people as Record<"bob", Person>;
    const { members, root, tagId } = treasury;
    const enough = `approvers.filter(user, user.tags.contains('${tagId}')).count() >= 2`;
    await root.createPolicy({
      policyName: `Two treasurers write policies ${hostile}`,
      effect: "EFFECT_ALLOW",
      condition: "activity.kind == 'CREATE_POLICY'",
      consensus: enough,
    });
    const wanted = {
      policyName: `Taken ${hostile}`,
      effect: "EFFECT_ALLOW",
      condition: `activity.params.policy_name == '${"<script>"}'`,
      notes: hostile,
    } as const;
    const waiting: unknown = await members.ada.client.createPolicy(wanted).catch((error) => error);
    if (!(waiting instanceof ConsensusNeeded)) throw waiting;
    await bob.open(`/activities/${waiting.activity.id}`);
    await bob.page.getByRole("button", { name: "Approve…" }).click();
    const dialog = bob.page.getByRole("alertdialog", { name: "Approve this?" });
    await dialog.getByText("Taken").waitFor();
    await root.createPolicy({ ...wanted, condition: "false" });
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await bob.open("/activities?status=failed");
    await heading(bob.page, "Activities");
    await bob.page.getByRole("link", { name: "Create policy" }).click();
    await heading(bob.page, "Create policy");
    await bob.page.getByText("It was allowed, and failed").waitFor();
    const help = bob.page.getByRole("link", { name: /What to do about/ });
    expect(await help.getAttribute("href")).toMatch(
      /\/developer-reference\/api-overview\/errors#[a-z-]+$/,
    );
    await axeClean(bob.page, "Activity that failed");

    // The filter by kind finds it too, and the address says so.
    await bob.open("/activities");
    await bob.page.getByRole("combobox", { name: "Kind" }).fill("create policy");
    await bob.page.getByRole("option", { name: "Create policy", exact: true }).click();
    await expect.poll(() => new URL(bob.page.url()).search).toBe("?kind=CREATE_POLICY");
    await expect
      .poll(() => bob.page.getByRole("link", { name: /^Sign transaction/ }).count())
      .toBe(0);
    for (const { page, complaints } of Object.values(people)) {
      expect(complaints).toEqual([]);
      expect(await page.title()).not.toBe("ran");
      expect(await page.locator("img[src=x]").count()).toBe(0);
    }
  });

  /** Makes a passkey in the authenticator of the browser, and registers it with the user. */
  async function givePasskey({ page }: Person, { userId }: Member): Promise<void> {
    const made = await page.evaluate(async () => {
      const text = (buffer: ArrayBuffer) =>
        btoa(String.fromCharCode(...new Uint8Array(buffer)))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replace(/=+$/, "");
      const challenge = crypto.getRandomValues(new Uint8Array(32));
      const credential = (await navigator.credentials.create({
        publicKey: {
          challenge,
          rp: { name: "Test", id: "localhost" },
          user: { id: new Uint8Array(16), name: "cleo", displayName: "Cleo" },
          pubKeyCredParams: [{ type: "public-key", alg: -7 }],
        },
      })) as PublicKeyCredential;
      const answer = credential.response as AuthenticatorAttestationResponse;
      return {
        challenge: text(challenge.buffer),
        credentialId: text(credential.rawId),
        clientDataJson: text(answer.clientDataJSON),
        attestationObject: text(answer.attestationObject),
      };
    });
    const { challenge, ...attestation } = made;
    await treasury.root.createAuthenticators({
      userId,
      authenticators: [
        {
          authenticatorName: "laptop",
          challenge,
          attestation: { ...attestation, transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"] },
        },
      ],
    });
  }
});
