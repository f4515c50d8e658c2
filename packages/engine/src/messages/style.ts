import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { parseUrl } from "@keyhearth/crypto/encoding/url";
import * as z from "zod";
import { Email, label, notes, textLine } from "../fields/schemas.ts";
import type { MessageStyle } from "./message.ts";

// How an application wants the messages of logins to look. The values get into headers, templates and
// links, so none of them may hold a character that ends a line, and links only what a link may hold.

const MAX_LINK_CHARACTERS = 2048;

/** Browsers would run these, or read files of the device, instead of opening an application. */
const dangerousSchemes = /^(javascript|vbscript|data|blob|file|filesystem|about|view-source):/i;

const LogoUrl = textLine(MAX_LINK_CHARACTERS)
  .refine(isWebUrl, "expected an http or https URL without a user name")
  .describe("Address of the logo, a PNG image of at most 1 MiB and 4 megapixels.")
  .meta({ examples: ["https://app.example.com/logo.png"] });

const MagicLinkTemplate = textLine(MAX_LINK_CHARACTERS)
  .refine((value) => linkProblem(value) === undefined, {
    error: ({ input }) => linkProblem(String(input)),
  })
  .describe(
    "A link with `%s`, once, in place of the secret. Without it, the message has the secret.",
  )
  .meta({ examples: ["https://app.example.com/login?bundle=%s"] });

const TemplateVariables = textLine(4096)
  .refine((value) => parseVariables(value) !== null, {
    error:
      "failed to unmarshal template variables: expected the JSON text of an object of strings on one line, whose names have letters, digits, `_`, `.` and `-`",
  })
  .describe("Values for the operator's template: the JSON text of an object of strings.")
  .meta({ examples: ['{"username":"Ada"}'] });

const TemplateId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "must have 1 to 64 letters, digits, `_` and `-`")
  .describe("Name of a template that the operator has installed.")
  .meta({ examples: ["welcome"] });

const appName = label("Name of the application, as the message shows it.");

const looks = {
  logoUrl: LogoUrl.optional(),
  magicLinkTemplate: MagicLinkTemplate.optional(),
  templateVariables: TemplateVariables.optional(),
  templateId: TemplateId.optional(),
};

export const EmailCustomizationParams = z
  .strictObject({ appName: appName.optional(), ...looks })
  .describe("How the mail looks.")
  .meta({ id: "EmailCustomizationParams" });

export const EmailCustomizationParamsV2 = z
  .strictObject(looks)
  .describe("How the mail looks. The application's name is given beside it.")
  .meta({ id: "EmailCustomizationParamsV2" });

export const EmailAuthCustomizationParams = z
  .strictObject({ appName, ...looks })
  .describe("How the mail looks.")
  .meta({ id: "EmailAuthCustomizationParams" });

export const SmsCustomizationParams = z
  .strictObject({
    template: notes(480, "Text of the SMS, with `{{.OtpCode}}`, once, in place of the code.")
      .refine(
        (text) => text.replace(OTP_CODE, "").search(/\{\{|\}\}/) < 0 && OTP_CODE.test(text),
        "must contain `{{.OtpCode}}` once, and no other `{{` or `}}`",
      )
      .meta({ examples: ["Your code for Example is {{.OtpCode}}"] })
      .optional(),
  })
  .describe("How the SMS looks.")
  .meta({ id: "SmsCustomizationParams" });

const OTP_CODE = /\{\{ ?\.OtpCode ?\}\}/;

/** Who seems to send the mail. The courier uses these only if the operator allows the address. */
export const senderFields = {
  sendFromEmailAddress: Email.describe(
    "Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and so are the sender's name and the address for replies.",
  ).optional(),
  sendFromEmailSenderName: label("Sender's name. `Notifications` by default.").optional(),
  replyToEmailAddress: Email.describe("Address for replies.").optional(),
};

/** What requests say about the look of a message. Every part is optional. */
export type Customization = {
  appName?: string | undefined;
  emailCustomization?:
    | ({ appName?: string | undefined } & z.output<typeof EmailCustomizationParamsV2>)
    | undefined;
  smsCustomization?: z.output<typeof SmsCustomizationParams> | undefined;
  sendFromEmailAddress?: string | undefined;
  sendFromEmailSenderName?: string | undefined;
  replyToEmailAddress?: string | undefined;
};

/** The style of the message of a request, whose fields were parsed by the types above. */
export function messageStyle({ emailCustomization = {}, ...given }: Customization): MessageStyle {
  const { logoUrl, magicLinkTemplate, templateVariables, templateId } = emailCustomization;
  return {
    appName: given.appName ?? emailCustomization.appName ?? null,
    logoUrl: logoUrl ?? null,
    magicLinkTemplate: magicLinkTemplate ?? null,
    templateVariables: templateVariables === undefined ? null : parseVariables(templateVariables),
    templateId: templateId ?? null,
    smsTemplate: given.smsCustomization?.template?.replace(OTP_CODE, "{{.OtpCode}}") ?? null,
    senderAddress: given.sendFromEmailAddress ?? null,
    senderName: given.sendFromEmailSenderName ?? null,
    replyToAddress: given.replyToEmailAddress ?? null,
  };
}

/** A parser would leave out white space, and encode quotes and brackets. */
const linkCharacters = /^[\x21-\x7e]+$/;
const notInLinks = /["'<>`\\]/;

function isWebUrl(value: string): boolean {
  if (!linkCharacters.test(value) || notInLinks.test(value)) return false;
  const url = parseUrl(value);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

function linkProblem(template: string): string | undefined {
  const problem = "invalid magic link template";
  const [before, after, ...others] = template.split("%s");
  if (before === undefined || after === undefined || others.length > 0) {
    return `${problem}: must contain \`%s\` exactly once`;
  }
  const known = parseUrl(before + after);
  const isLink =
    linkCharacters.test(template) &&
    !notInLinks.test(template) &&
    /^[a-z][a-z0-9+.-]*:\/\//i.test(before) &&
    !dangerousSchemes.test(before);
  if (!isLink || !known || known.username || known.password) {
    return `${problem}: expected a link such as \`https://app.example.com/login?bundle=%s\``;
  }
  // Otherwise the secret would be part of a name that computers on the way look up.
  const [with1, with2] = ["1", "2"].map((secret) => parseUrl(before + secret + after)?.host);
  const isWeb = /^https?:$/.test(known.protocol);
  if (!isWeb || (with1 !== undefined && with1 === with2)) return undefined;
  return `${problem}: \`%s\` must come after the host`;
}

/** The object in the text. Null if there is none, or if a name or value is not acceptable. */
function parseVariables(text: string): Record<string, string> | null {
  const line = textLine(4096);
  const Variables = z.record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), line);
  try {
    return Variables.safeParse(parseStrictJson(text, { maxDepth: 1 })).data ?? null;
  } catch {
    return null;
  }
}
