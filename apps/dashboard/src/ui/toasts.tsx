import { X } from "lucide-react";
import { Text } from "react-aria-components/Text";
import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components/Toast";
import { Link } from "wouter";
import { Button } from "./button.tsx";

export type Toast = {
  title: string;
  text?: string;
  tone?: "good" | "warning" | "danger";
  /** Where people read more, or go on. */
  link?: { to: string; text: string };
  /** A page of the documentation that explains it. */
  page?: string;
  /** What takes back what was done. */
  undo?: () => void;
};

const queue = new ToastQueue<Toast>({ maxVisibleToasts: 4 });

/** Tells something that needs no answer. It goes away by itself, unless it leads somewhere or is about a failure. */
export function tell(toast: Toast): void {
  const stays = toast.tone === "danger" || toast.link !== undefined;
  queue.add(toast, { timeout: stays ? undefined : 6000 });
}

/** For somebody else, who should not read earlier toasts. */
export function forgetToasts(): void {
  queue.clear();
}

export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => {
        const { title, text, tone = "good", link, page, undo } = toast.content;
        return (
          <AriaToast toast={toast} className={`toast toast-${tone}`}>
            <ToastContent className="toast-content">
              <Text slot="title" className="toast-title">
                {title}
              </Text>
              {text !== undefined && <Text slot="description">{text}</Text>}
              {link && (
                <Link href={link.to} onClick={() => queue.close(toast.key)}>
                  {link.text}
                </Link>
              )}
              {page !== undefined && (
                <a href={page} target="_blank" rel="noreferrer">
                  What this means, and what to do
                </a>
              )}
              {undo && (
                <Button
                  isSmall
                  onPress={() => {
                    queue.close(toast.key);
                    undo();
                  }}
                >
                  Undo
                </Button>
              )}
            </ToastContent>
            <Button slot="close" kind="quiet" isSmall isIcon aria-label="Close">
              <X size={16} aria-hidden />
            </Button>
          </AriaToast>
        );
      }}
    </ToastRegion>
  );
}
