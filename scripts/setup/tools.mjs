// The programs that only tests need: a browser, PostgreSQL and a Bitcoin script interpreter. If one is
// missing, its tests are skipped and say so.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./run.mjs";

/**
 * Path of the browser for tests, or undefined. Chromium without windows shows pages with a third less processor time, so it
 * is taken if it is installed.
 */
export function findTestBrowser() {
  return process.env.CHROME_PATH ? findBrowser() : (findOnPath(HEADLESS) ?? findBrowser());
}

const HEADLESS = "chromium-headless-shell";

/** Path of a Chromium or Chrome as people use it, or undefined. */
export function findBrowser() {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH && existsSync(CHROME_PATH)) return CHROME_PATH;
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return (
    findOnPath("chromium", "chromium-browser", "google-chrome", "google-chrome-stable") ??
    (existsSync(mac) ? mac : undefined)
  );
}

/** The directory that holds initdb and postgres, or undefined. */
function findPostgres() {
  const versions = "/usr/lib/postgresql";
  const debian = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, "bin"))
    : [];
  return [...debian, ...searchPath()].find(
    (directory) => existsSync(join(directory, "initdb")) && existsSync(join(directory, "postgres")),
  );
}

/** The Python that has python-bitcoinlib, an interpreter of Bitcoin's scripts, or undefined. */
export function findBitcoinlib() {
  // Debian's package is for Debian's Python, which another one may hide.
  return ["/usr/bin/python3", "python3"].find((python) => {
    const args = ["-c", "import bitcoin.core.scripteval"];
    return spawnSync(python, args, { stdio: "ignore" }).status === 0;
  });
}

export const bitcoinlibMissing =
  "no python-bitcoinlib, which runs Bitcoin's scripts: run apt-get install python3-bitcoinlib";

/** Installs missing programs if that needs no questions: as root on Debian and its derivatives. */
export async function offerTestTools() {
  const missing = [
    ...(findTestBrowser() ? [] : ["chromium"]),
    ...(findPostgres() ? [] : ["postgresql"]),
    ...(findBitcoinlib() ? [] : ["python3-bitcoinlib"]),
  ];
  if (missing.length === 0) return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && findOnPath("apt-get")) {
    const apt = { command: "apt-get", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    const update = await run({
      ...apt,
      label: "Update the package lists of apt",
      args: ["update"],
    });
    const install = await run({
      ...apt,
      label: `Install ${missing.join(", ")} for the tests`,
      args: ["install", "--yes", "--no-install-recommends", ...missing],
    });
    if (install.code !== 0) console.warn(`${update.output}${install.output}`);
  }
  const sudo = isRoot ? "" : "sudo ";
  if (!findTestBrowser()) {
    console.warn(
      `  note  no browser: tests in a browser will be skipped. Run ${sudo}apt-get install chromium, or set\n` +
        "        CHROME_PATH to a Chromium or Chrome",
    );
  }
  if (!findPostgres()) {
    console.warn(
      `  note  no PostgreSQL: its tests will be skipped (the embedded database is tested). Run\n` +
        `        ${sudo}apt-get install postgresql, or put its bin directory into PATH`,
    );
  }
  if (!findBitcoinlib()) {
    console.warn(
      "  note  no python-bitcoinlib: the tests that run Bitcoin's scripts will be skipped. Run\n" +
        `        ${sudo}apt-get install python3-bitcoinlib`,
    );
  }
}

/** @param {string[]} names */
/** @param {string[]} names @returns {string | undefined} */
export function findOnPath(...names) {
  return names
    .flatMap((name) => searchPath().map((directory) => join(directory, name)))
    .find((path) => existsSync(path));
}

function searchPath() {
  return (process.env.PATH ?? "").split(delimiter).filter(Boolean);
}
