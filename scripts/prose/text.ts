// Finds the prose of a file. Code and markup become `\0`, character by character, so that places stay
// what they were; a `\0` also ends a sentence.

const TOKENS =
  /(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|(?<=(?:[(,=:[!&|?;+]|=>|\breturn)\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

type Kinds = {
  /** The file is .tsx: text between tags is prose too. */
  hasTags: boolean;
  /** Strings are prose too. */
  withMessages: boolean;
};

export function proseOfCode(source: string, { hasTags, withMessages }: Kinds): string {
  const proseOfRest = hasTags ? proseBetweenTags : blank;
  const parts: string[] = [];
  let end = 0;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    parts.push(proseOfRest(source.slice(end, index)));
    if (token.startsWith("//") || token.startsWith("/*")) parts.push(proseOfComment(token));
    else parts.push(withMessages ? proseOfString(token) : blank(token));
    end = index + token.length;
  }
  parts.push(proseOfRest(source.slice(end)));
  return parts.join("");
}

/** Everything but code: a fenced block is blank, and code or a quotation in a line is a word. */
export function proseOfMarkdown(source: string): string {
  return withoutFences(source)
    .replace(/`+[^`\n]+`+|“[^”\n]*”/g, word)
    .replace(/(?<=\])\([^)\s]*\)/g, word)
    .replace(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*>#|]|\d+\. ))/g, blank)
    .replace(/^(?:import|export) [^\n]*$/gm, blank)
    .replace(/\|/g, "\0");
}

export function withoutFences(source: string): string {
  return source.replace(/^( *)(```+)[^\n]*\n[\s\S]*?^ *\2`* *$/gm, blank);
}

/** An empty line in a comment ends a paragraph. */
function proseOfComment(token: string): string {
  if (token.startsWith("//")) {
    return token.replace(/\/\/(?=[ \t]*(?:\n|$))/g, blank).replaceAll("//", "  ");
  }
  return token
    .replace(/^\/\*\*?|\*\/$/g, blank)
    .replace(/^[ \t]*\*(?=[ \t]*$)/gm, blank)
    .replace(/^([ \t]*)\*(?= )/gm, "$1 ");
}

/** What a template computes is a word. A regular expression is not prose. */
function proseOfString(token: string): string {
  if (token.startsWith("/")) return blank(token);
  const text = token
    .slice(1, -1)
    .replace(/\$\{[^}]*\}/g, word)
    .replace(/\\[nt]/g, blank);
  return `\0${text}\0`;
}

function proseBetweenTags(code: string): string {
  return code.replace(/(?<![=-])>([^<>{}]*)|[^>]+|>/g, (part: string, text: string | undefined) => {
    const isProse = text && !/[;=]/.test(text);
    return isProse ? `\0${text}` : blank(part);
  });
}

function blank(text: string): string {
  return "\0".repeat(text.length);
}

function word(text: string): string {
  return "x".repeat(text.length);
}
