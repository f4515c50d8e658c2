import { type ComponentProps, lazy, Suspense, useState } from "react";
import type { Login } from "./login.tsx";
import { Starting } from "./starting.tsx";

let loaded: typeof Login | undefined;

/** Those who are logged in do not need it. */
export async function loadLogin() {
  const { Login } = await import("./login.tsx");
  loaded = Login;
  return { default: Login };
}

const Lazy = lazy(loadLogin);

/** The login. If it is loaded before, it is rendered at once, as the build does. */
export function LoginPart(props: ComponentProps<typeof Login>) {
  const [Here] = useState(() => loaded);
  if (Here) return <Here {...props} />;
  return (
    <Suspense fallback={<Starting />}>
      <Lazy {...props} />
    </Suspense>
  );
}
