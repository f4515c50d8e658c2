import { ARCHITECTURE, type DebianPackage } from "./packages.ts";

/** In Debian's order, `1.0.0~rc.1` comes before `1.0.0`. */
export function debianVersionOf(version: string): string {
  return version.replace("-", "~");
}

type Release = {
  version: string;
  installedKilobytes: number;
  /** A name and an address, as RFC 5322 has them. */
  maintainer: string;
  homepage: string;
};

export function controlOf(
  { name, summary, description, recommends }: DebianPackage,
  { version, installedKilobytes, maintainer, homepage }: Release,
): string {
  const lines = [
    `Package: ${name}`,
    `Version: ${debianVersionOf(version)}`,
    `Architecture: ${ARCHITECTURE}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${installedKilobytes}`,
    // What the pinned Node.js is linked to, and what makes the users.
    "Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 11), systemd | systemd-standalone-sysusers | systemd-sysusers",
    ...(recommends ? [`Recommends: ${recommends}`] : []),
    `Homepage: ${homepage}`,
    "Section: net",
    "Priority: optional",
    `Description: ${summary}`,
    ...description.map((line) => ` ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** No script removes state, not even when the package is purged: what signs is in it. */
export function maintainerScriptsOf({ name, units }: DebianPackage): Record<string, string> {
  const services = units.map((unit) => `${unit}.service`).join(" ");
  const states = units.map((unit) => `/var/lib/${unit}`);
  const staying =
    states.length === 1
      ? `${states[0]} stays. Remove it`
      : `${states.join(" and ")} stay. Remove them`;
  const directories = units.map(
    (unit) =>
      `    [ -d /var/lib/${unit} ] || install -d -o ${unit} -g ${unit} -m 0700 /var/lib/${unit}`,
  );
  const head = "#!/bin/sh\nset -e\n\n";
  const reload = "if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi";
  return {
    postinst: `${head}case "$1" in
  configure)
    systemd-sysusers /usr/lib/sysusers.d/${name}.conf
${directories.join("\n")}
    ${reload}
    # A first installation starts nothing: its settings and its root key do not exist yet.
    if [ -d /run/systemd/system ] && [ -n "$2" ]; then systemctl try-restart ${services}; fi
    ;;
esac
`,
    prerm: `${head}if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now ${services}
fi
`,
    postrm: `${head}${reload}
if [ "$1" = purge ]; then
  echo "${name}: ${staying} yourself only if nobody needs the keys."
fi
`,
  };
}
