/** What a pasted answer, log line or stack trace says about itself. */
export type Found = { code: string; field: string | undefined; message: string | undefined };

type Detail = { code?: unknown; field?: unknown; message?: unknown };

/** The machine codes in a text: from the details of an answer, else wherever a known code or a link to one stands. */
export function findErrors(text: string, known: ReadonlySet<string>): Found[] {
  const answer = parseAnswer(text);
  const details = answer ? detailsOf(answer) : [];
  const found = details.flatMap(({ code, field, message }) =>
    typeof code === "string" && known.has(code)
      ? [{ code, field: textOrNone(field), message: textOrNone(message) ?? answer?.message }]
      : [],
  );
  if (found.length > 0) return found;
  const written = text.match(/[A-Z]+(?:_[A-Z]+)*/g) ?? [];
  const codes = new Set([...linkedCodes(text), ...written].filter((word) => known.has(word)));
  return [...codes].map((code) => ({ code, field: undefined, message: undefined }));
}

/** Messages of the SDK end with the address of their entry. */
function linkedCodes(text: string): string[] {
  return [...text.matchAll(/\/errors#([a-z]+(?:-[a-z]+)*)/g)].map(([, anchor = ""]) =>
    anchor.toUpperCase().replaceAll("-", "_"),
  );
}

/** The JSON in the text, which may have a status line or a log's prefix before it. */
function parseAnswer(text: string): { details: unknown; message: string | undefined } | null {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return null;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    if (typeof value !== "object" || value === null || !("details" in value)) return null;
    return {
      details: value.details,
      message: "message" in value ? textOrNone(value.message) : undefined,
    };
  } catch {
    // Not an answer. The text is then searched for codes.
    return null;
  }
}

function detailsOf({ details }: { details: unknown }): Detail[] {
  if (!Array.isArray(details)) return [];
  return details.filter((each) => typeof each === "object" && each !== null);
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
