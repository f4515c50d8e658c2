import { Loading } from "../ui/states.tsx";
import { FrontFrame } from "./front.tsx";

/** Suits visitors and those who are logged in. */
export function Starting() {
  return (
    <FrontFrame>
      <h1 className="visually-hidden">Keyhearth</h1>
      <Loading what="the dashboard" lines={3} />
    </FrontFrame>
  );
}
