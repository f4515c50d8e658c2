/** The assistant of the site. Empty texts are those of the page's language. */
export type AssistantSettings = {
  /** Of its window. */
  title: string;
  /** Of the button that opens it. */
  label: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads what a build says of the assistant. Null if the site has none. */
export function readAssistantSettings(env: Environment): AssistantSettings | null {
  const state = env.KEYHEARTH_SITE_ASSISTANT || "on";
  if (state !== "on" && state !== "off") {
    throw new Error(`KEYHEARTH_SITE_ASSISTANT is \`${state}\`: write on or off`);
  }
  const settings = {
    title: textOf(env, "KEYHEARTH_SITE_ASSISTANT_TITLE", 60),
    label: textOf(env, "KEYHEARTH_SITE_ASSISTANT_LABEL", 30),
  };
  return state === "off" ? null : settings;
}

function textOf(env: Environment, name: string, most: number): string {
  const text = env[name]?.trim() ?? "";
  if (text.length <= most && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return text;
  throw new Error(`${name} is not one line of at most ${most} characters: write a shorter text`);
}
