import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Reads a page of the site as somebody does who follows it: what to save, what to run, and what is printed.

const website = fileURLToPath(new URL("../../apps/website/", import.meta.url));
const docs = join(website, "docs");

export type Step =
  | { kind: "file"; name: string; content: string }
  | { kind: "command"; text: string }
  | { kind: "output"; text: string }
  /** Commands with what they print, as a terminal shows it. */
  | { kind: "session"; text: string };

/** Which part of a page is followed. */
export type Part = { tabs?: readonly string[]; from?: string; until?: string };

/**
 * The steps of a page in their order, from one heading until another. Of tabs, those that are named. What is folded has
 * files, and no commands.
 */
export function stepsOf(page: string, { tabs = [], from = "", until = "" }: Part = {}): Step[] {
  const whole = expand(join(docs, `${page}.mdx`));
  const placeOf = (heading: string) => {
    const place = whole.indexOf(`\n## ${heading}`);
    if (place < 0) throw new Error(`${page} has no heading ${heading}`);
    return place;
  };
  const part = whole.slice(from ? placeOf(from) : 0, until ? placeOf(until) : undefined);
  const text = chosen(part, tabs);
  const parts = text.split(/(<details>.*?<\/details>)/s);
  return parts.flatMap((part) => {
    const steps = [...part.matchAll(BLOCK)].flatMap(([, info = "", content = ""]) =>
      stepOf(info, content),
    );
    return part.startsWith("<details>") ? steps.filter(({ kind }) => kind === "file") : steps;
  });
}

const BLOCK = /^```([^\n]+)\n(.*?)^```$/gms;

function stepOf(info: string, content: string): Step[] {
  const [language = ""] = info.split(" ");
  const [, title] = /title="([^"]+)"/.exec(info) ?? [];
  if (title && /^\S+\.\w+$/.test(title)) return [{ kind: "file", name: title, content }];
  if (/^(bash|sh)$/.test(language)) return [{ kind: "command", text: content }];
  if (language !== "text") return [];
  if (content.startsWith("$ ")) return [{ kind: "session", text: content }];
  return !title || title === "Output" ? [{ kind: "output", text: content }] : [];
}

/** The source of a page with its partial pages in it, and each imported file as a block. */
function expand(path: string): string {
  const source = readFileSync(path, "utf8");
  const imported = new Map(
    [...source.matchAll(/^import (\w+) from "([^"]+)";$/gm)].map(([, name = "", from = ""]) => [
      name,
      from,
    ]),
  );
  return source
    .replace(/<CodeBlock ([^>]*)>\s*\{(\w+)\}\s*<\/CodeBlock>/g, (_, attributes, name) => {
      const file = imported.get(name)?.replace("@site/", website).replace("?raw", "") ?? "";
      const [, language = ""] = /language="(\w+)"/.exec(attributes) ?? [];
      return `\n\`\`\`${language} ${attributes}\n${readFileSync(file, "utf8").trimEnd()}\n\`\`\`\n`;
    })
    .replace(/^<(\w+) \/>$/gm, (element, name) => {
      const from = imported.get(name);
      return from?.endsWith(".mdx") ? expand(join(dirname(path), from)) : element;
    });
}

/** Without the tabs that were not chosen. Every choice that a page offers has to be made. */
function chosen(text: string, tabs: readonly string[]): string {
  return text.replace(/<Tabs[^>]*>.*?<\/Tabs>/gs, (group) => {
    const items = [...group.matchAll(/<TabItem value="([^"]+)".*?<\/TabItem>/gs)];
    const item = items.find(([, value = ""]) => tabs.includes(value));
    const offered = items.map(([, value]) => value).join(", ");
    if (!item) throw new Error(`choose one of the tabs ${offered}`);
    return item[0];
  });
}
