import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { Refusal } from "../channel/refusal.ts";
import { isProperty, isValue, type Property, properties } from "./properties.ts";

export type Styles = Partial<Record<Property, string>>;

export type Settings = {
  styles: Styles;
  passphraseStyles: Styles;
  enablePassphrase: boolean;
};

/** The page that shows no labels takes no colour for them. */
export type SettingsPage = "export" | "import";

/** One property that is not accepted refuses all. */
export function parseSettings(text: string, page: SettingsPage): Settings {
  let value: unknown;
  try {
    value = parseStrictJson(text, { maxDepth: 2 });
  } catch {
    throw new Refusal("the settings are no JSON; pass the text of one object");
  }
  const { styles, passphraseStyles, enablePassphrase, ...others } = objectOf(value, "the settings");
  if (Object.keys(others).length > 0) {
    throw new Refusal(
      "the settings have an unknown member; they take styles, passphraseStyles and enablePassphrase",
    );
  }
  if (enablePassphrase !== undefined && typeof enablePassphrase !== "boolean") {
    throw new Refusal("enablePassphrase must be true or false");
  }
  return {
    styles: parseStyles(styles, "styles", page),
    passphraseStyles: parseStyles(passphraseStyles, "passphraseStyles", page),
    enablePassphrase: enablePassphrase === true,
  };
}

function parseStyles(given: unknown, name: string, page: SettingsPage): Styles {
  const styles: Styles = {};
  if (given === undefined) return styles;
  for (const [property, value] of Object.entries(objectOf(given, name))) {
    if (!isProperty(property) || (property === "labelColor" && page === "export")) {
      const known = properties.filter((each) => page === "import" || each !== "labelColor");
      throw new Refusal(`${name} has an unknown property; it takes ${known.join(", ")}`);
    }
    const trimmed = typeof value === "string" ? value.trim() : "";
    if (!isValue(property, trimmed)) {
      throw new Refusal(
        `${name}.${property} has a value that this property does not take; the page about the frames lists the values of each`,
      );
    }
    styles[property] = trimmed;
  }
  return styles;
}

function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>; // members are unknown
  }
  throw new Refusal(`${name} must be an object`);
}
