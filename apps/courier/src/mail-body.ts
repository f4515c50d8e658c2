import { escapeHtml, oneLine } from "./text.ts";

/** What a mail says, in the order in which it says it. */
export type MailBody = {
  heading: string;
  /** Whether an image `cid:logo` is shown above the heading. */
  hasLogo: boolean;
  paragraphs: string[];
  /** Shown large. */
  code?: string;
  /** A long text to copy. */
  block?: string;
  link?: { text: string; url: string };
  details?: [string, string][];
  footer: string[];
};

export const LOGO_CID = "logo";

export function mailText(body: MailBody): string {
  const { heading, paragraphs, code, block, link, details = [], footer } = body;
  const parts = [
    oneLine(heading),
    ...paragraphs.map((text) => oneLine(text, 1000)),
    ...(code === undefined ? [] : [`    ${code}`]),
    ...(block === undefined ? [] : [block]),
    ...(link === undefined ? [] : [link.url]),
    ...(details.length === 0
      ? []
      : [details.map(([name, value]) => `${name}: ${value}`).join("\n")]),
    footer.map((text) => oneLine(text, 1000)).join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * Mail programs know little CSS: light colours are inline, and those that know a dark scheme take the
 * rest from the style sheet.
 */
export function mailHtml(body: MailBody): string {
  const { heading, hasLogo, paragraphs, code, block, link, details = [], footer } = body;
  const rows = [
    hasLogo
      ? `<img class="logo" src="cid:${LOGO_CID}" alt="" style="display:block;max-width:340px;max-height:124px;margin:0 0 24px">`
      : "",
    `<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650;color:#15191a">${line(heading)}</h1>`,
    ...paragraphs.map((text) => paragraph(text, "ink", "16px")),
    code === undefined ? "" : box(code, code.length > 12 ? "18px" : "30px"),
    block === undefined ? "" : box(block, "14px"),
    link === undefined ? "" : button(link),
    ...details.map(([name, value]) => paragraph(`${name}: ${value}`, "soft", "13px")),
    `<hr class="line" style="margin:28px 0 20px;border:0;border-top:1px solid #dcded7">`,
    ...footer.map((text) => paragraph(text, "soft", "14px")),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${line(heading)}</title>
<style>${DARK}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#fafaf8">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="paper" style="background:#fafaf8"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="card" style="max-width:560px;background:#ffffff;border:1px solid #dcded7;border-radius:12px"><tr><td style="padding:32px;font-family:Inter,system-ui,-apple-system,'Segoe UI',sans-serif">
${rows.filter((row) => row !== "").join("\n")}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.paper{background:#121615!important}
.card{background:#1b201f!important;border-color:#353c3a!important}
.ink{color:#f0f1ec!important}
.soft{color:#b9c0bc!important}
.line{border-top-color:#353c3a!important}
.box{background:#121615!important;color:#f0f1ec!important;border-color:#353c3a!important}
.button{background:#f6ab6c!important;color:#1d1206!important}
.link{color:#f6ab6c!important}
}`;

function paragraph(text: string, colour: "ink" | "soft", size: string): string {
  const light = colour === "ink" ? "#15191a" : "#434a49";
  return `<p class="${colour}" style="margin:0 0 12px;font-size:${size};line-height:1.6;color:${light};overflow-wrap:anywhere">${line(text)}</p>`;
}

function box(text: string, size: string): string {
  return `<p class="box" style="margin:20px 0;padding:16px 20px;border:1px solid #dcded7;border-radius:8px;background:#eff0ec;color:#15191a;font-family:'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;font-size:${size};line-height:1.4;letter-spacing:0.04em;word-break:break-all">${escapeHtml(text)}</p>`;
}

function button({ text, url }: { text: string; url: string }): string {
  const href = escapeHtml(url);
  return `<p style="margin:24px 0"><a class="button" href="${href}" target="_blank" rel="noreferrer" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#a83806;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(text)}</a></p>
<p class="soft" style="margin:0 0 12px;font-size:13px;line-height:1.6;color:#434a49;word-break:break-all">Or copy this link: <a class="link" href="${href}" target="_blank" rel="noreferrer" style="color:#a83806">${href}</a></p>`;
}

function line(text: string): string {
  return escapeHtml(oneLine(text, 1000));
}

export function withoutLogo(html: string): string {
  return html.replace(/<img class="logo"[^>]*>\n?/, "");
}
