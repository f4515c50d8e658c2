import { expect, test } from "vitest";
import * as z from "zod";
import { ApiError } from "../errors.ts";
import { parseFields } from "../fields/parse.ts";
import {
  EmailAuthCustomizationParams,
  EmailCustomizationParams,
  messageStyle,
  SmsCustomizationParams,
  senderFields,
} from "./style.ts";

const Parameters = z.strictObject({
  emailCustomization: EmailCustomizationParams.optional(),
  smsCustomization: SmsCustomizationParams.optional(),
  ...senderFields,
});

function refused(schema: z.ZodType, value: Record<string, unknown>): ApiError {
  try {
    parseFields(schema, value, "parameters");
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(value)}`);
}

test("nothing is left to the courier that the request says, and everything else is", () => {
  const nothing = {
    appName: null,
    logoUrl: null,
    magicLinkTemplate: null,
    templateVariables: null,
    templateId: null,
    smsTemplate: null,
    senderAddress: null,
    senderName: null,
    replyToAddress: null,
  };
  expect(messageStyle({})).toEqual(nothing);
  const given = parseFields(
    Parameters,
    {
      emailCustomization: {
        appName: "Example",
        logoUrl: "https://app.example.com/logo.png",
        magicLinkTemplate: "https://app.example.com/login#bundle=%s",
        templateVariables: '{"username":"Ada","a.b-c_d":""}',
        templateId: "welcome-2",
      },
      smsCustomization: { template: "Code: {{ .OtpCode }}" },
      sendFromEmailAddress: "login@example.com",
      sendFromEmailSenderName: "Example",
      replyToEmailAddress: "help@example.com",
    },
    "parameters",
  );
  expect(messageStyle(given)).toEqual({
    appName: "Example",
    logoUrl: "https://app.example.com/logo.png",
    magicLinkTemplate: "https://app.example.com/login#bundle=%s",
    templateVariables: { username: "Ada", "a.b-c_d": "" },
    templateId: "welcome-2",
    smsTemplate: "Code: {{.OtpCode}}",
    senderAddress: "login@example.com",
    senderName: "Example",
    replyToAddress: "help@example.com",
  });
  expect(messageStyle({ appName: "Other", emailCustomization: {} }).appName).toBe("Other");
});

test.each(["\r", "\n", "\0", "\u0085", "\u2028", "\u202e"])(
  "%j is refused in every field that gets into a header or a template",
  (bad) => {
    const error = refused(Parameters, {
      emailCustomization: {
        appName: `Example${bad}Bcc: x@example.com`,
        logoUrl: `https://app.example.com/${bad}`,
        magicLinkTemplate: `https://app.example.com/?bundle=%s${bad}`,
        templateVariables: JSON.stringify({ username: `Ada${bad}` }),
        templateId: `a${bad}`,
      },
      sendFromEmailAddress: `a${bad}@example.com`,
      sendFromEmailSenderName: `Example${bad}`,
      replyToEmailAddress: `a@example.com${bad}`,
    });
    expect(error.details.map(({ field }) => field)).toEqual([
      "parameters.emailCustomization.appName",
      "parameters.emailCustomization.logoUrl",
      "parameters.emailCustomization.magicLinkTemplate",
      "parameters.emailCustomization.templateVariables",
      "parameters.emailCustomization.templateId",
      "parameters.sendFromEmailAddress",
      "parameters.sendFromEmailSenderName",
      "parameters.replyToEmailAddress",
    ]);
    expect(error.message).not.toContain(bad);
  },
);

const once = "must contain `%s` exactly once";
const link = "expected a link such as";

test.each([
  ["", once],
  ["https://app.example.com/", once],
  ["https://app.example.com/?a=%s&b=%s", once],
  ["%s", link],
  ["/login?bundle=%s", link],
  ["javascript://app.example.com/%0aalert('%s')", link],
  ["JavaScript://app.example.com/%s", link],
  ["data://text/html,%s", link],
  ['https://app.example.com/?a="onclick=%s', link],
  ["https://app.example.com/<b>%s", link],
  ["https://app.example.com/ %s", link],
  ["https://app.example.com/é%s", link],
  ["https://user:password@app.example.com/%s", link],
  ["https://%s.example.com/", "`%s` must come after the host"],
  ["https://app.example.com:%s/", "`%s` must come after the host"],
])("the link %j is refused", (magicLinkTemplate, text) => {
  const error = refused(EmailCustomizationParams, { magicLinkTemplate });
  expect(error.field).toBe("parameters.magicLinkTemplate");
  expect(error.message).toContain("invalid magic link template");
  expect(error.message).toContain(text);
});

test.each([
  "https://app.example.com/%s",
  "http://localhost:3000?bundle=%s",
  "https://app.example.com/login?next=%2Fhome&bundle=%s#start",
  "exampleapp://email-auth?token=%s",
])("the link %j is accepted", (magicLinkTemplate) => {
  expect(EmailCustomizationParams.safeParse({ magicLinkTemplate }).success).toBe(true);
});

test.each([
  "",
  "x",
  "[]",
  "null",
  '"a"',
  '{"a":1}',
  '{"a":{}}',
  '{"a b":"c"}',
  '{"__proto__":"x"}',
])("the template variables %j are refused", (templateVariables) => {
  const error = refused(EmailCustomizationParams, { templateVariables });
  expect(error.field).toBe("parameters.templateVariables");
  expect(error.message).toContain("failed to unmarshal template variables");
});

test.each(["", "../secret", "a/b", "a.html", "-a", "a".repeat(65)])(
  "the template id %j is refused",
  (templateId) => {
    const error = refused(EmailCustomizationParams, { templateId });
    expect(error.field).toBe("parameters.templateId");
  },
);

test.each(["", "logo.png", "ftp://example.com/logo.png", "https://a:b@example.com/", "https:///"])(
  "the logo %j is refused",
  (logoUrl) => {
    expect(refused(EmailCustomizationParams, { logoUrl }).field).toBe("parameters.logoUrl");
  },
);

test.each([
  "",
  "no code",
  "{{.OtpCode}} {{.OtpCode}}",
  "{{.OtpCode}} {{.Other}}",
  "{{.OtpCode}}\0",
])("the SMS %j is refused", (template) => {
  expect(refused(SmsCustomizationParams, { template }).field).toBe("parameters.template");
});

test("the newest mails need the name of the application", () => {
  const error = refused(EmailAuthCustomizationParams, { templateId: "" });
  expect(error.details.map(({ field }) => field)).toEqual([
    "parameters.appName",
    "parameters.templateId",
  ]);
});
