import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { SiteTheme } from "../config/variables.ts";
import { contentTypeOf, isCompressible } from "./content-type.ts";
import type { Encoding } from "./encoding.ts";
import { type Forms, formsOfProcess } from "./forms.ts";
import { pagePolicy, xmlPolicy } from "./security-headers.ts";
import { nameModel } from "./shown-model.ts";
import { namesPlaces, type ShownPlaces, showPlaces } from "./shown-places.ts";
import { followSystem } from "./shown-theme.ts";
import { nameOf, readStored, type Stored } from "./stored-file.ts";

/** A file, with everything that is computed from it only once. */
export type SiteFile = {
  contentType: string;
  isCompressible: boolean;
  /** Its content depends on who serves it, so that its name does not say what it holds. */
  namesPlaces: boolean;
  modifiedMs: number;
  policy: string | null;
  /** The file in this encoding, or in its plain form if that is not larger or sooner here. */
  body(encoding: Encoding | null): Promise<Body>;
};

export type Body = { bytes: Buffer<ArrayBuffer>; etag: string; encoding: Encoding | null };

export type SiteFiles = {
  /** Undefined when the file is gone. */
  open(file: string): Promise<SiteFile | undefined>;
};

type Entry = {
  modifiedMs: number;
  size: number;
  file: Promise<SiteFile>;
  keptBytes: number;
};

/** Keeps files in memory. The least recently used ones are dropped first. */
export function createSiteFiles({
  capacityBytes,
  forms = formsOfProcess,
  shown = { places: undefined, theme: "light", hasModel: false },
}: {
  capacityBytes: number;
  forms?: Forms;
  shown?: Shown;
}): SiteFiles {
  const entries = new Map<string, Entry>();
  let keptBytes = 0;

  function forget(path: string, entry: Entry) {
    if (entries.get(path) !== entry) return;
    entries.delete(path);
    keptBytes -= entry.keptBytes;
  }

  function keep(path: string, entry: Entry, bytes: number) {
    if (entries.get(path) !== entry) return;
    entry.keptBytes = bytes;
    keptBytes += bytes;
    for (const [oldest, candidate] of entries) {
      if (keptBytes <= capacityBytes) return;
      forget(oldest, candidate);
    }
  }

  /** Moves the entry to the end, so that the first entry is the least recently used one. */
  function touch(path: string, entry: Entry) {
    entries.delete(path);
    entries.set(path, entry);
  }

  function load(path: string, { mtimeMs, size }: { mtimeMs: number; size: number }): Entry {
    const entry: Entry = {
      modifiedMs: mtimeMs,
      size,
      keptBytes: 0,
      file: readStored(path).then((built) => {
        const stored = contentOf(nameOf(path), built, shown);
        keep(path, entry, stored.bytes.length + (stored.brotli?.length ?? 0));
        return describe(stored, mtimeMs, forms);
      }),
    };
    entries.set(path, entry);
    return entry;
  }

  return {
    async open(path) {
      const found = await statOrNothing(path);
      const kept = entries.get(path);
      const isCurrent = kept?.modifiedMs === found?.mtimeMs && kept?.size === found?.size;
      if (kept && isCurrent) touch(path, kept);
      if (kept && !isCurrent) forget(path, kept);
      if (!found) return undefined;
      const entry = entries.get(path) ?? load(path, found);
      try {
        return await entry.file;
      } catch (error) {
        forget(path, entry);
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
  };
}

type Content = Stored & Pick<SiteFile, "contentType" | "namesPlaces">;

/** What the service that sends a file changes in it. */
type Shown = { places: ShownPlaces | undefined; theme: SiteTheme; hasModel: boolean };

function contentOf(path: string, built: Stored, shown: Shown): Content {
  const contentType = contentTypeOf(path);
  const text = textFor(contentType, built.bytes, shown);
  if (text === null) return { ...built, contentType, namesPlaces: false };
  const bytes = Buffer.from(text);
  // What was compressed at build is as it was built.
  const brotli = bytes.equals(built.bytes) ? built.brotli : null;
  return { bytes, brotli, contentType, namesPlaces: true };
}

/** Null if the file is the same for every service. */
function textFor(contentType: string, built: Buffer, shown: Shown): string | null {
  if (!/^(text|application\/(json|manifest\+json|xml))/.test(contentType)) return null;
  const text = built.toString("utf8");
  const { places, theme, hasModel } = shown;
  const placed = places && namesPlaces(text) ? showPlaces(text, places) : null;
  if (!contentType.startsWith("text/html")) return placed;
  const changes = [...(theme === "system" ? [followSystem] : []), ...(hasModel ? [nameModel] : [])];
  if (changes.length === 0) return placed;
  return changes.reduce((html, change) => change(html), placed ?? text);
}

function describe(
  { bytes, brotli, contentType, namesPlaces }: Content,
  modifiedMs: number,
  forms: Forms,
): SiteFile {
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const plain: Body = { bytes, etag: `"${digest}"`, encoding: null };

  function compressed(
    encoding: Encoding,
  ): Promise<Buffer<ArrayBuffer> | null> | Buffer<ArrayBuffer> {
    return encoding === "br" && brotli ? brotli : forms.of({ bytes, digest }, encoding);
  }

  return {
    contentType,
    isCompressible: isCompressible(contentType),
    modifiedMs,
    namesPlaces,
    policy: policyOf(contentType, bytes),
    async body(encoding) {
      if (encoding === null || !isCompressible(contentType)) return plain;
      const form = await compressed(encoding);
      // A strong tag identifies exact bytes, so each form has its own.
      return form ? { bytes: form, etag: `"${digest}-${encoding}"`, encoding } : plain;
    },
  };
}

function policyOf(contentType: string, bytes: Buffer): string | null {
  if (contentType.startsWith("text/html")) return pagePolicy(bytes.toString("utf8"));
  // Browsers show these as documents too, and XML can hold scripts.
  return /^(image\/svg|application\/xml)/.test(contentType) ? xmlPolicy : null;
}

async function statOrNothing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
}
