import {
  type CSSProperties,
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
} from "react";
import type { LoginProxyOptions } from "../browser/login-proxy.ts";
import { type KitTheme, kitStyles } from "./styles.ts";
import { english, type KitTexts } from "./texts.ts";

/** How every component of the kit looks and speaks. */
export type KitOptions = {
  /** Texts that replace those in English, such as `spanish`. */
  texts?: Partial<KitTexts>;
  theme?: KitTheme;
  /** `auto` follows the system, and any `data-keyhearth-theme` around the component. Default: `auto`. */
  colorScheme?: "auto" | "light" | "dark";
  /** Of the page’s content security policy, for the kit’s style sheet. */
  nonce?: string;
  /** Whether the kit brings its style sheet. Default: true. */
  styles?: boolean;
  /** Where the frames are, such as `https://frames.example.com`. Default: `/frames` of the service. */
  framesUrl?: string;
  /** How logins reach your organization. Default: the login proxy of the service. */
  login?: LoginProxyOptions;
};

type Kit = Omit<KitOptions, "texts"> & { texts: KitTexts };

const Context = /* @__PURE__ */ createContext<KitOptions>({});

/** Gives all components in it the same texts, theme and addresses. A component’s own options count before these. */
export function KitProvider({
  children,
  ...options
}: KitOptions & { children?: ReactNode }): ReactElement {
  const outer = useContext(Context);
  const texts = { ...outer.texts, ...options.texts };
  return <Context value={{ ...outer, ...defined(options), texts }}>{children}</Context>;
}

export function useKit(own: KitOptions): Kit {
  const outer = useContext(Context);
  const texts = { ...english, ...outer.texts, ...own.texts };
  return { ...outer, ...defined(own), texts };
}

function defined({ texts: _, ...options }: KitOptions): Omit<KitOptions, "texts"> {
  const { theme, colorScheme, nonce, styles, framesUrl, login } = options;
  const known = { theme, colorScheme, nonce, styles, framesUrl, login };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

type PanelProps = {
  kit: Kit;
  title: string;
  /** What screen readers hear when it changes. */
  status?: string | undefined;
  problem?: string | undefined;
  /** Moves the focus to the title when it changes, so that people notice the new step. */
  step?: string;
  onClose?: (() => void) | undefined;
  children?: ReactNode;
};

/** The frame of each component: its title, its problem, and the place that says what happens. */
export function Panel({ kit, title, status, problem, step, onClose, children }: PanelProps) {
  const { texts, theme, colorScheme = "auto", nonce, styles = true } = kit;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    const panel = heading.current?.closest(".keyhearth");
    // A step with a field has the focus there already.
    if (!panel?.contains(document.activeElement)) heading.current?.focus();
  }, [step]);
  return (
    <section
      className="keyhearth"
      aria-labelledby={id}
      style={variables(theme)}
      {...(colorScheme === "auto" ? {} : { "data-keyhearth-theme": colorScheme })}
    >
      {styles && (
        <style href="keyhearth-kit" precedence="keyhearth" nonce={nonce}>
          {kitStyles}
        </style>
      )}
      <div className="keyhearth-head">
        <h2 className="keyhearth-title" id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {onClose && (
          <button type="button" className="keyhearth-x" aria-label={texts.close} onClick={onClose}>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </div>
      <div className="keyhearth-stack">
        <div className="keyhearth-live" role="alert">
          {problem && <p className="keyhearth-problem">{problem}</p>}
        </div>
        {children}
      </div>
      <div className="keyhearth-only-read" role="status">
        {status}
      </div>
    </section>
  );
}

function variables(theme: KitTheme | undefined): CSSProperties | undefined {
  if (!theme) return undefined;
  const entries = Object.entries(theme).map(([name, value]) => [`--keyhearth-${name}`, value]);
  // React takes custom properties, but its types do not list them.
  return Object.fromEntries(entries) as CSSProperties;
}

type ButtonProps = {
  children: ReactNode;
  isBusy?: boolean;
  /** It keeps the focus, which a disabled button loses. */
  isOff?: boolean;
  look?: "primary" | "plain" | "link";
  type?: "button" | "submit";
  onClick?: () => void;
};

const looks = {
  primary: "keyhearth-button keyhearth-primary",
  plain: "keyhearth-button",
  link: "keyhearth-link",
};

export function Button({
  children,
  isBusy = false,
  isOff = false,
  look = "plain",
  type = "button",
  onClick,
}: ButtonProps) {
  const off = isBusy || isOff;
  return (
    <button
      type={type}
      className={looks[look]}
      aria-disabled={off || undefined}
      data-busy={isBusy || undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.();
      }}
    >
      {isBusy && <span className="keyhearth-spin" aria-hidden="true" />}
      {children}
    </button>
  );
}

type FieldProps = {
  label: string;
  hint?: string;
  /** What is wrong with it. */
  wrong?: string | undefined;
  isWrong?: boolean;
  /** Says when the field appears because of what people did. */
  isFocused?: boolean;
  isCode?: boolean;
  type?: "text" | "email" | "tel";
  inputMode?: "text" | "email" | "tel" | "numeric";
  autoComplete?: string;
  maxLength?: number;
  value: string;
  onChange(value: string): void;
};

export function Field(props: FieldProps) {
  const {
    label,
    hint,
    wrong,
    isWrong = wrong !== undefined,
    isFocused = false,
    isCode = false,
    value,
    onChange,
  } = props;
  const { type = "text", inputMode, autoComplete = "off", maxLength } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const shown = wrong ?? hint;
  useEffect(() => {
    if (isFocused || wrong !== undefined) input.current?.focus();
  }, [isFocused, wrong]);
  return (
    <div className="keyhearth-field">
      <label className="keyhearth-label" htmlFor={id}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        className={isCode ? "keyhearth-input keyhearth-code" : "keyhearth-input"}
        type={type}
        inputMode={inputMode}
        autoComplete={autoComplete}
        autoCapitalize={isCode ? "characters" : undefined}
        spellCheck={false}
        maxLength={maxLength}
        aria-invalid={isWrong || undefined}
        aria-describedby={shown ? `${id}-hint` : undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {shown && (
        <p className={wrong ? "keyhearth-wrong" : "keyhearth-muted"} id={`${id}-hint`}>
          {shown}
        </p>
      )}
    </div>
  );
}
