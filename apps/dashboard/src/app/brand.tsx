import { Link } from "wouter";
import logo from "../../../website/static/img/logo.svg";
import logoDark from "../../../website/static/img/logo-dark.svg";

export function Brand() {
  return (
    <Link href="/" className="brand">
      <img className="logo-light" src={logo} alt="" width="30" height="30" loading="lazy" />
      <img className="logo-dark" src={logoDark} alt="" width="30" height="30" loading="lazy" />
      Keyhearth
    </Link>
  );
}
