import { readFileSync } from "node:fs";
import { PolicyDenied } from "@keyhearth/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { policyTest } from "../../packages/cli/src/commands/policy-test.ts";
import { closePages, hasBrowser } from "../start/browser.ts";
import { axeClean, heading, newPerson, type Person, startWorld, type World } from "./harness.ts";
import { logInByKey, openTreasury, payment, propose, type Treasury } from "./treasury.ts";

/** Would say that it ran, if anything took it for more than text. */
const hostile = "<img src=x onerror=document.title='ran'>";

describe.runIf(hasBrowser)("in a browser,", () => {
  let world: World;
  let treasury: Treasury;
  let root: Person;

  beforeAll(async () => {
    world = await startWorld();
    treasury = await openTreasury(world, hostile);
    root = await newPerson(world);
    const keyFile = readFileSync(world.product.rootKeyFile, "utf8");
    await logInByKey(root, { keyFile }, { path: "/policies", title: "Policies" });
  }, 120_000);
  afterAll(async () => {
    await closePages();
    await world?.product.stop();
  });

  const clause = (name: string) => root.page.getByRole("textbox", { name, exact: true });
  /** By its keys: what a browser pastes over coloured text has styles, which the page's policy refuses. */
  const write = async (name: string, text: string) => {
    await clause(name).press("Control+a");
    await root.page.keyboard.press("Backspace");
    await root.page.keyboard.type(text);
    await root.page.keyboard.press("Escape");
  };
  const button = (name: string) => root.page.getByRole("button", { name, exact: true });
  const tab = (name: string) => root.page.getByRole("tab", { name, exact: true });

  test("a policy is written, tried, saved, and denies", async () => {
    const { page } = root;
    const { members, address } = treasury;
    const { client: ada } = members.ada;
    await treasury.root.createPolicy({
      policyName: `Ada signs anything ${hostile}`,
      effect: "EFFECT_ALLOW",
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.id == '${members.ada.userId}')`,
      notes: hostile,
    });
    const raw = {
      signWith: address,
      payload: "5a".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    } as const;
    expect((await ada.signRawPayload(raw)).r).toMatch(/^[0-9a-f]{64}$/);

    await root.open("/policies");
    await page.getByRole("link", { name: `Ada signs anything ${hostile}` }).waitFor();
    await axeClean(page, "Policies");
    await page.getByRole("textbox", { name: "Search" }).fill("no policy says this");
    await page.getByText("No policy fits").waitFor();
    expect(new URL(page.url()).search).toBe("?q=no+policy+says+this");

    await page.getByRole("link", { name: "New policy" }).click();
    await heading(page, "New policy");
    await page.getByRole("button", { name: /Begin with/ }).click();
    await page.getByRole("option", { name: "Nothing that nobody can read is signed" }).click();
    await clause("Condition").getByText("'SIGN_RAW_PAYLOADS'").waitFor();
    expect(await page.getByRole("radio", { name: "Deny" }).isChecked()).toBe(true);

    // A field that does not exist is underlined as it is typed, and nothing can be saved then.
    await write("Condition", "wallet.nam");
    await page.getByText(/did you mean/).waitFor();
    expect(await clause("Condition").getAttribute("aria-invalid")).toBe("true");
    expect(await button("Create the policy…").isDisabled()).toBe(true);
    await axeClean(page, "Policy with a mistake");
    // Nobody loses it by a link, or by going back.
    const leaving = page.getByRole("alertdialog", { name: "Leave the policy unsaved?" });
    await page.getByRole("link", { name: "Wallets", exact: true }).click();
    await leaving.getByText("What you wrote here is lost.").waitFor();
    await axeClean(page, "Leave unsaved");
    await leaving.getByRole("button", { name: "Cancel" }).click();
    await page.evaluate(() => history.back());
    await leaving.getByRole("button", { name: "Cancel" }).click();
    expect(new URL(page.url()).pathname).toBe("/dashboard/policies/new");
    expect(await clause("Condition").textContent()).toBe("wallet.nam");
    // The language is completed, and so are the ids of the organization.
    await write("Condition", "");
    await page.keyboard.type("activity.ki");
    await page.getByRole("option", { name: /kind/ }).waitFor();
    await page.locator(".cm-completionInfo").waitFor();
    // For the first 75 ms, the list takes no key that may have been meant for the text.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await expect.poll(() => clause("Condition").textContent()).toBe("activity.kind");
    await page.keyboard.type(" == 'SIGN_RAW_PAYLOAD'");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await clause("Consensus").evaluate((field) => field.matches(":focus"))).toBe(true);
    await page.keyboard.type("approvers.any(user, user.id == '");
    await page.getByRole("option", { name: new RegExp(members.ada.userId) }).waitFor();
    await write("Consensus", "");
    await expect
      .poll(() => page.locator(".field-error").allTextContents(), { timeout: 10_000 })
      .toEqual([]);

    // It is tried before it is saved: on a request that nobody sends.
    await tab("Try it").click();
    await page.getByText("A request that you describe").click();
    await page.getByRole("combobox", { name: "What is asked for" }).fill("sign raw payload");
    await page.getByRole("option", { name: "Sign raw payload", exact: true }).click();
    await page.getByRole("button", { name: /Asked by/ }).click();
    await page.getByRole("option", { name: members.ada.name }).click();
    const parameters = page.getByRole("textbox", { name: "Parameters" });
    await parameters.fill("{");
    await button("Decide").click();
    await page.getByText(/^This is not JSON/).waitFor();
    await parameters.fill(JSON.stringify(raw));
    await button("Decide").click();
    await page.getByText("With this one as it is written:").getByText("Denied").waitFor();
    await page.getByText("Saved policies:").getByText("Allowed").waitFor();
    await page.locator("mark.decided-true", { hasText: "SIGN_RAW_PAYLOAD" }).waitFor();
    await axeClean(page, "Policy tried");
    await button("Keep as a case").click();

    await tab("Policy").click();
    await button("Create the policy…").click();
    const review = page.getByRole("dialog", { name: "Create this policy?" });
    await review.getByRole("button", { name: "Create it" }).click();
    await heading(page, "No raw payloads");
    const refused: unknown = await ada.signRawPayload(raw).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PolicyDenied);

    // The name is unique, and the service's words are at the field.
    await root.open("/policies/new");
    await page.getByRole("textbox", { name: "Name" }).fill("No raw payloads");
    await button("Create the policy…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Create it" }).click();
    await page.locator(".field-error", { hasText: "must be unique" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("No raw payloads");
  });

  test("what a change would mean is said before it is saved, and cases hold or fail", async () => {
    const { page } = root;
    await propose(treasury, treasury.members.bob, payment("3"));
    await root.open("/policies");
    await page.getByRole("link", { name: `Two treasurers pay ${hostile}` }).click();
    await heading(page, `Two treasurers pay ${hostile}`);
    const consensus = (await clause("Consensus").textContent()) ?? "";
    await tab("What would change").click();
    await page.getByText("Nothing has been changed").waitFor();

    // A case of how it is: Bob's payment waits.
    await tab("Try it").click();
    await page.getByRole("button", { name: /Activity/ }).click();
    await page.getByRole("option", { name: /Sign transaction by Bob/ }).click();
    await button("Decide").click();
    await page.getByText("Saved policies:").getByText("Needs approvals").waitFor();
    await button("Keep as a case").click();
    await tab("Cases").click();
    await button("Run the cases").click();
    await page.getByText("1 passed, 0 failed").waitFor();
    // The command line takes the same file, and has the same answer.
    const saved = page.waitForEvent("download");
    await button("Save as a file").click();
    const path = await (await saved).path();
    const progress = { show() {}, clear() {} };
    expect((await policyTest([path], { progress })).json).toMatchObject({ passed: 1, failed: 0 });

    await tab("Policy").click();
    await write("Consensus", consensus.replace(">= 2", ">= 1"));
    await tab("Cases").click();
    await button("Run the cases").click();
    await page.getByText("0 passed, 1 failed").waitFor();
    await axeClean(page, "Cases of a policy");
    await page.getByRole("textbox", { name: "Cases" }).fill('{"cases": [{}]}');
    await button("Run the cases").click();
    await page.getByText("`cases[0].name` is missing.").waitFor();

    await tab("What would change").click();
    await button("Compare with what is saved").click();
    await page.getByText("It allows more than before, for example this").waitFor();
    const row = page
      .getByRole("table", { name: "Activities that would be decided differently" })
      .getByRole("row", { name: /Bob/ });
    expect(await row.textContent()).toMatch(/Needs approvals.*Allowed/);
    await axeClean(page, "What a policy would change");

    await tab("Policy").click();
    await button("Save…").click();
    const review = page.getByRole("dialog", { name: "Save these changes?" });
    expect(await review.locator("del").allTextContents()).toEqual(["2"]);
    expect(await review.locator("ins").allTextContents()).toEqual(["1"]);
    await axeClean(page, "Changes of a policy");
    await review.getByRole("button", { name: "Save the changes" }).click();
    await page.getByText("The policy is saved").waitFor();
    expect(
      await treasury.members.bob.client.signTransaction({
        signWith: treasury.address,
        type: "TRANSACTION_TYPE_ETHEREUM",
        unsignedTransaction: payment("4"),
      }),
    ).toMatchObject({ signedTransaction: expect.stringMatching(/^02f8/) });

    await button("Delete…").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete the policy" }).click();
    await heading(page, "Policies");
    await expect.poll(() => page.getByRole("link", { name: /^Two treasurers/ }).count()).toBe(0);
    expect(root.complaints).toEqual([]);
    expect(await page.title()).toBe("Policies | Keyhearth");
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });
});
