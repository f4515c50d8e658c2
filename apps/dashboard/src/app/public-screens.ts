import { Building2, MailOpen } from "lucide-react";
import type { ScreenEntry } from "./screen.ts";

/** Screens that anybody may open, in the frame of the login and at their own paths. */
export const publicScreens: readonly ScreenEntry[] = [
  {
    name: "sign-up",
    path: "/sign-up",
    title: "Create an organization",
    icon: Building2,
    isInMenu: false,
    keywords: [],
    load: () => import("../screens/sign-up/screen.tsx"),
  },
  {
    name: "invitation",
    path: "/invitation",
    title: "Invitation",
    icon: MailOpen,
    isInMenu: false,
    keywords: [],
    load: () => import("../screens/invitation/screen.tsx"),
  },
];
