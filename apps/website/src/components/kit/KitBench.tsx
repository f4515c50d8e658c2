import { useColorMode } from "@docusaurus/theme-common";
import { memoryStorage } from "@keyhearth/sdk/browser";
import { KeyhearthProvider } from "@keyhearth/sdk/react";
import { type KitTheme, kitStyles, spanish } from "@keyhearth/sdk/react/kit";
import { type KitState, states } from "@site/snippets/browser/kit-states.tsx";
import { useEffect, useId, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { galleryTexts, stateNames } from "./gallery-texts.ts";
import styles from "./KitBench.module.css";

/** Nobody logs in here: each component shows a state and does nothing. */
const options = {
  baseUrl: "https://keys.example.com",
  organizationId: "00000000-0000-4000-8000-000000000000",
  // The base point of P-256: a key of the right form.
  sessionPublicKey: `04${"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`,
  name: "gallery",
  storage: memoryStorage(),
};

const components = [...new Set(states.map(({ component }) => component))];

type Scheme = "auto" | "light" | "dark";

export function KitBench() {
  const { colorMode } = useColorMode();
  const [component, setComponent] = useState<KitState["component"]>("Auth");
  const [index, setIndex] = useState(0);
  const [language, setLanguage] = useState("en");
  const [scheme, setScheme] = useState<Scheme>("auto");
  const [theme, setTheme] = useState<KitTheme>({});
  useKitStyles();
  const shown = states.filter((state) => state.component === component);
  const state = shown[index] ?? shown[0];
  const isDark = (scheme === "auto" ? colorMode : scheme) === "dark";
  return (
    <section className={styles.bench} aria-label={galleryTexts.region}>
      <div className={styles.choices}>
        <Choice
          label={galleryTexts.component}
          value={component}
          options={components.map((name) => [name, name])}
          onChange={(name) => {
            setComponent(components.find((each) => each === name) ?? "Auth");
            setIndex(0);
          }}
        />
        <Choice
          label={galleryTexts.state}
          value={String(index)}
          options={shown.map(({ name }, at) => [String(at), nameOf(name)])}
          onChange={(at) => setIndex(Number(at))}
        />
        <Choice
          label={galleryTexts.language}
          value={language}
          options={[
            ["en", "English"],
            ["es", "Español"],
          ]}
          onChange={setLanguage}
        />
        <Choice
          label={galleryTexts.scheme}
          value={scheme}
          options={[
            ["auto", galleryTexts.auto],
            ["light", galleryTexts.light],
            ["dark", galleryTexts.dark],
          ]}
          onChange={(next) => setScheme(next as Scheme)}
        />
      </div>
      <div className={isDark ? styles.stageDark : styles.stage}>
        <KeyhearthProvider options={options}>
          <div key={`${component} ${index}`} className={styles.shown} lang={language}>
            {state?.show({
              theme,
              styles: false,
              colorScheme: isDark ? "dark" : "light",
              ...(language === "es" ? { texts: spanish } : {}),
            })}
          </div>
        </KeyhearthProvider>
      </div>
      <ThemeEditor theme={theme} onChange={setTheme} isDark={isDark} />
    </section>
  );
}

function nameOf(name: string): string {
  return Object.entries(stateNames).find(([key]) => key === name)?.[1] ?? name;
}

/** As a sheet of this page alone: its policy lets no style element in. */
function useKitStyles() {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(kitStyles);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, []);
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange(value: string): void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What the sheet has before anybody changes it, in light and in dark. */
const colours = [
  ["accent", "accent", "#8a3b12", "#f0a878"],
  ["accent-text", "accentText", "#ffffff", "#22130a"],
  ["background", "background", "#ffffff", "#1b1a18"],
  ["text", "text", "#1f1c18", "#f2efe9"],
] as const;

const fonts = [
  ["", "fontSystem"],
  ["Georgia, serif", "fontSerif"],
  ["ui-monospace, monospace", "fontMono"],
] as const;

type EditorProps = { theme: KitTheme; onChange(theme: KitTheme): void; isDark: boolean };

function ThemeEditor({ theme, onChange, isDark }: EditorProps) {
  const id = useId();
  const set = (name: keyof KitTheme, value: string) => {
    const { [name]: _, ...others } = theme;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  const lines = Object.entries(theme).map(([name, value]) => `  --keyhearth-${name}: ${value};`);
  const css = lines.length > 0 ? [":root {", ...lines, "}"].join("\n") : "";
  return (
    <fieldset className={styles.editor}>
      <legend>{galleryTexts.theme}</legend>
      <div className={styles.choices}>
        {colours.map(([name, label, light, dark]) => (
          <div className={styles.choice} key={name}>
            <label htmlFor={`${id}-${name}`}>{galleryTexts[label]}</label>
            <input
              type="color"
              id={`${id}-${name}`}
              value={theme[name] ?? (isDark ? dark : light)}
              onChange={({ target }) => set(name, target.value)}
            />
          </div>
        ))}
        <div className={styles.choice}>
          <label htmlFor={`${id}-radius`}>{galleryTexts.radius}</label>
          <input
            type="range"
            id={`${id}-radius`}
            min="0"
            max="24"
            value={Number.parseInt(theme.radius ?? "10", 10)}
            onChange={({ target }) => set("radius", `${target.value}px`)}
          />
        </div>
        <Choice
          label={galleryTexts.font}
          value={theme.font ?? ""}
          options={fonts.map(([value, label]) => [value, galleryTexts[label]])}
          onChange={(value) => set("font", value)}
        />
      </div>
      <div className={styles.css}>
        <p className={styles.cssName}>{galleryTexts.css}</p>
        {css === "" ? (
          <p className={styles.hint}>{galleryTexts.unchanged}</p>
        ) : (
          <>
            <pre>{css}</pre>
            <div className={styles.actions}>
              <CopyButton text={css} label={galleryTexts.cssLabel} />
              <button
                type="button"
                className="button button--secondary button--sm"
                onClick={() => onChange({})}
              >
                {galleryTexts.reset}
              </button>
            </div>
          </>
        )}
      </div>
    </fieldset>
  );
}
