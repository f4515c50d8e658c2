import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

type Command = [string, ...string[]];

export type Language = {
  name: string;
  /** Why its tests cannot run on this machine, and what to install; undefined if they can. */
  missing: string | undefined;
  folder: string;
  unitTests: Command;
  /** Builds the program, if the language needs it. */
  build?: Command;
  program: Command;
  environment?: Record<string, string>;
};

export type Ended = { code: number | null; stdout: string; stderr: string };

/** The examples that tests run, in a directory for what they build. */
export function findLanguages(buildDirectory: string): Language[] {
  const python = findPython();
  const goProgram = `${buildDirectory}/go-example`;
  return [
    {
      name: "Go",
      missing: missing(["go", "version"], "golang-go"),
      folder: folderOf("go"),
      unitTests: ["go", "test", "./..."],
      build: ["go", "build", "-o", goProgram, "."],
      program: [goProgram],
      // It has no dependencies, and the Go that is installed will do.
      environment: { GOPROXY: "off", GOTOOLCHAIN: "local" },
    },
    {
      name: "Rust",
      missing: missing(["cargo", "--version"], "cargo-web") ?? missing(["cc", "--version"], "gcc"),
      folder: folderOf("rust"),
      // The service of the tests speaks http, and TLS is most of what there is to compile.
      unitTests: [...cargo("test"), "--lib", "--test", "client"],
      build: cargo("build"),
      program: [`${folderOf("rust")}target/debug/keyhearth-example`],
      environment: { CARGO_TARGET_DIR: `${folderOf("rust")}target` },
    },
    {
      name: "Ruby",
      missing: missing(["ruby", "-e", "require 'minitest'"], "ruby"),
      folder: folderOf("ruby"),
      unitTests: ["ruby", "-w", "-e", "Dir['./test/*_test.rb'].each { |file| require file }"],
      program: ["ruby", "-w", "main.rb"],
    },
    {
      name: "Python",
      missing: python ? undefined : "no Python with cryptography: install python3-cryptography",
      folder: folderOf("python"),
      unitTests: [python ?? "python3", "-W", "error", "-m", "unittest"],
      program: [python ?? "python3", "-W", "error", "main.py"],
      environment: { PYTHONDONTWRITEBYTECODE: "1" },
    },
  ];
}

function cargo(command: string): Command {
  return ["cargo", command, "--locked", "--no-default-features", "--quiet"];
}

/** Runs a command in the language's folder until it ends. A test that ends first ends it too. */
export function run(
  { folder, environment }: Language,
  [program, ...args]: Command,
  variables: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...environment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 580_000,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function folderOf(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}/`, import.meta.url));
}

function missing([program, ...args]: Command, debianPackage: string): string | undefined {
  if (spawnSync(program, args, { stdio: "ignore" }).status === 0) return undefined;
  return `${program} is not installed: install ${debianPackage}`;
}

/** Debian's package is for Debian's Python, which another one may hide. */
function findPython(): string | undefined {
  const args = ["-c", "import cryptography, sys; sys.exit(sys.version_info < (3, 9))"];
  return ["python3", "/usr/bin/python3"].find(
    (python) => spawnSync(python, args, { stdio: "ignore" }).status === 0,
  );
}
