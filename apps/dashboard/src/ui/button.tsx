import type { ReactNode } from "react";
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
} from "react-aria-components/Button";
import { Link } from "wouter";
import { classes } from "./classes.ts";

type Kind = "primary" | "secondary" | "quiet" | "danger";

type Look = {
  /** One `primary` button a page or dialog. Default: `secondary`. */
  kind?: Kind;
  isSmall?: boolean;
  /** Shows only the icon, so `aria-label` says what it does. */
  isIcon?: boolean;
};

export type ButtonProps = Omit<AriaButtonProps, "className" | "style"> & Look;

const classOf = ({ kind = "secondary", isSmall, isIcon }: Look) =>
  classes("button", `button-${kind}`, isSmall && "button-small", isIcon && "button-icon");

/** While `isPending`, it keeps its place and says that it is busy. */
export function Button({ kind, isSmall, isIcon, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={classOf({ kind, isSmall, isIcon })}>
      {(state) => (
        <>
          {state.isPending && <span className="spinner" aria-hidden="true" />}
          {typeof children === "function" ? children(state) : children}
        </>
      )}
    </AriaButton>
  );
}

/** Looks like a button, and leads to another screen. */
export function LinkButton({
  to,
  children,
  ...look
}: Look & { to: string; children: ReactNode; "aria-label"?: string }) {
  const { "aria-label": label } = look;
  return (
    <Link href={to} className={classOf(look)} aria-label={label}>
      {children}
    </Link>
  );
}
