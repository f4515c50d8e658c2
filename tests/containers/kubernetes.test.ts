import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { variables } from "@keyhearth/api/config/variables";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { Job } from "kubernetes-models/batch/v1/Job";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { users } from "../../scripts/release/container/users.ts";
import { createDatabase, startPostgres } from "../postgres/start.ts";
import { isLong } from "../start/long-form.ts";
import { readRootKey } from "../start/process.ts";
import { sign } from "../start/sign.ts";
import { type Confined, confinementMissing, imageOf, startConfined } from "./confined.ts";

// Reads the manifests of deploy/kubernetes, and starts what they say as the users they name, at the paths they name.

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "deploy/kubernetes/base");
const website = join(root, "apps/website");
const kustomization = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8"));
const kinds = [
  ...[ConfigMap, Job, Namespace, NetworkPolicy, PersistentVolumeClaim],
  ...[PodDisruptionBudget, Service, ServiceAccount, StatefulSet],
];

const documents: Manifest[] = kustomization.resources.flatMap((name: string) =>
  // Kubernetes reads YAML 1.1, in which 0440 is octal.
  parseAllDocuments(readFileSync(join(folder, name), "utf8"), { version: "1.1" }).map((each) =>
    each.toJS(),
  ),
);
const [command] = parseAllDocuments(
  readFileSync(join(folder, "../signer-command.yaml"), "utf8"),
).map((each): Manifest => each.toJS());
const ofKind = (kind: string) => documents.filter((each) => each.kind === kind);
const workloads = ofKind("StatefulSet");
const podOf = ({ spec }: Manifest): Pod => spec.template.spec;
const workload = (name: string) => {
  const found = workloads.find(({ metadata }) => metadata.name === `keyhearth-${name}`);
  if (!found) throw new Error(`no workload is called ${name}`);
  return found;
};

type Labels = { matchLabels: Record<string, string> };
type Manifest = {
  kind: string;
  apiVersion: string;
  metadata: { name: string };
  /** Of the settings. */
  data: Record<string, string>;
  spec: {
    replicas: number;
    selector: Labels;
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
    volumeClaimTemplates: Manifest[];
    podSelector: Labels;
  };
};
type Container = {
  image: string;
  args: string[];
  env: {
    name: string;
    value?: string;
    valueFrom?: { configMapKeyRef: { name: string; key: string } };
  }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  [member: string]: unknown;
};
type Pod = {
  containers: [Container];
  volumes: {
    name: string;
    secret?: { secretName: string; defaultMode: number };
    persistentVolumeClaim?: { claimName: string };
    emptyDir?: object;
  }[];
  securityContext: {
    runAsUser: number;
    runAsGroup: number;
    fsGroup: number;
    supplementalGroups?: number[];
  };
  [member: string]: unknown;
};

test("every manifest is valid by Kubernetes' own schemas", () => {
  expect(documents.length).toBeGreaterThan(10);
  for (const each of [...documents, command as Manifest]) {
    const Kind = kinds.find(
      ({ kind, apiVersion }) => kind === each.kind && apiVersion === each.apiVersion,
    );
    if (!Kind) throw new Error(`the test does not know ${each.apiVersion} ${each.kind}`);
    expect(() => new Kind(each as never).validate()).not.toThrow();
  }
  const [first] = workloads;
  const wrong = { ...first, spec: { ...first?.spec, replicas: "two" } };
  expect(() => new StatefulSet(wrong as never).validate()).toThrow(/replicas/);
});

test("the resources are all files, and every image of a workload is named", () => {
  const files = globSync("*.yaml", { cwd: folder }).filter((name) => name !== "kustomization.yaml");
  expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  const images = kustomization.images.map(({ name }: { name: string }) => name);
  const used = workloads.map((each) => podOf(each).containers[0].image);
  expect(new Set(used)).toEqual(new Set(images));
});

test("the first start includes a folder beside it, and adds --create to the signer", () => {
  const firstStart = join(folder, "../first-start");
  const first = parse(readFileSync(join(firstStart, "kustomization.yaml"), "utf8"));
  expect(first.resources.map((each: string) => join(firstStart, each))).toEqual([folder]);
  expect(relative(folder, firstStart)).toMatch(/^\.\./);
  const [{ target, patch }] = first.patches;
  expect(target).toEqual({ kind: "StatefulSet", name: workload("signer").metadata.name });
  expect(parse(patch)).toEqual([
    { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--create" },
  ]);
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.log("kubectl renders nothing: it is not installed");

test.runIf(hasKubectl)(
  "kubectl renders what the page applies, and only the first start creates",
  () => {
    const render = (name: string): Manifest[] => {
      const args = ["kustomize", join(folder, "..", name)];
      const { status, stdout, stderr } = spawnSync("kubectl", args, { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      return parseAllDocuments(stdout).map((each) => each.toJS());
    };
    const kindsOf = (manifests: Manifest[]) =>
      manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted();
    const argsOf = (manifests: Manifest[]) =>
      manifests
        .filter(({ metadata }) => metadata.name === "keyhearth-signer")
        .flatMap(({ kind, spec }) =>
          kind === "StatefulSet" ? spec.template.spec.containers[0].args : [],
        );
    const [base, first] = ["base", "first-start"].map(render);
    if (!base || !first) throw new Error("nothing was rendered");
    expect(kindsOf(base)).toEqual(kindsOf(documents));
    expect(kindsOf(first)).toEqual(kindsOf(base));
    expect(argsOf(first)).toEqual([...argsOf(base), "--create"]);
  },
);

test("pods keep to the restricted standard, as the namespace enforces", () => {
  const [namespace] = ofKind("Namespace");
  expect(namespace?.metadata).toMatchObject({
    labels: { "pod-security.kubernetes.io/enforce": "restricted" },
  });
  for (const each of workloads) {
    const pod = podOf(each);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
        fsGroupChangePolicy: "OnRootMismatch",
      },
    });
    for (const member of ["hostNetwork", "hostPID", "hostIPC", "initContainers"]) {
      expect(pod).not.toHaveProperty(member);
    }
    expect(pod.containers).toHaveLength(1);
    expect(pod.containers[0]).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      resources: { limits: { memory: "1Gi" }, requests: { memory: "512Mi" } },
      readinessProbe: expect.anything(),
    });
    for (const { name: _, ...source } of pod.volumes) {
      expect(["emptyDir", "persistentVolumeClaim", "secret"]).toContain(Object.keys(source)[0]);
    }
  }
  const ids = workloads.map((each) => podOf(each).securityContext.runAsUser);
  expect(ids.toSorted()).toEqual(Object.values(users).toSorted());
});

test("the signer is one pod without a network, and the others are on its node", () => {
  expect(workload("signer").spec.replicas).toBe(1);
  expect(workload("courier").spec.replicas).toBe(1);
  const policies = ofKind("NetworkPolicy");
  const [everything, ...others] = policies;
  expect(everything?.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  const selected = others.map(({ spec }) => spec.podSelector.matchLabels["app.kubernetes.io/name"]);
  expect(selected).toEqual(["keyhearth-api", "keyhearth-courier"]);
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { "app.kubernetes.io/name": "keyhearth-signer" } },
  };
  for (const name of ["api", "courier"]) {
    expect(podOf(workload(name)).affinity).toEqual({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
    });
  }
  for (const { spec } of workloads)
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
});

test("every variable, volume, claim and secret that is named exists", () => {
  const names = new Set(variables.map(({ name }) => name));
  const claims = new Set(ofKind("PersistentVolumeClaim").map(({ metadata }) => metadata.name));
  const [settings] = ofKind("ConfigMap");
  for (const each of workloads) {
    const { containers, volumes } = podOf(each);
    const [{ env, volumeMounts }] = containers;
    for (const { name, value, valueFrom } of env) {
      const isKnown = names.has(name.replace(/_FILE$/, "")) || name === "KEYHEARTH_COURIER_STATE";
      expect([name, isKnown]).toEqual([name, true]);
      expect(value ?? settings?.data[valueFrom?.configMapKeyRef.key ?? ""]).toBeTruthy();
    }
    const templates = each.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
    const known = [...volumes.map(({ name }) => name), ...templates];
    expect(volumeMounts.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
    for (const { persistentVolumeClaim } of volumes) {
      if (persistentVolumeClaim) expect(claims).toContain(persistentVolumeClaim.claimName);
    }
  }
});

test.runIf(isLong)(
  "kubernetes-validate finds no mistake",
  {
    timeout: 300_000,
  },
  () => {
    const environment = mkdtempSync(join(tmpdir(), "keyhearth-python-"));
    onTestFinished(() => rmSync(environment, { recursive: true }));
    const run = (program: string, ...args: string[]) =>
      spawnSync(program, args, { cwd: folder, encoding: "utf8" });
    run("python3", "-m", "venv", environment);
    run(join(environment, "bin/pip"), "install", "--quiet", "kubernetes-validate==1.37.0");
    const validator = join(environment, "bin/kubernetes-validate");
    if (!existsSync(validator)) {
      return console.log(
        "kubernetes-validate was not installed: it needs python3, pip and a network",
      );
    }
    for (const version of ["1.30", "1.36"]) {
      const { status, stderr, stdout } = run(
        validator,
        ...["--strict", "--kubernetes-version", version, ...kustomization.resources],
      );
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining("statefulset")]);
    }
  },
);

test("a command of the signer has its user, its directory and its volume", () => {
  const pod = podOf(command as Manifest);
  const signer = podOf(workload("signer"));
  const [container] = signer.containers;
  expect(pod.securityContext).toEqual(signer.securityContext);
  expect(pod.containers[0].env).toEqual([container.env[0]]);
  expect(pod.containers[0].volumeMounts).toEqual([container.volumeMounts[0]]);
  expect(pod.containers[0].securityContext).toEqual(container.securityContext);
  const [{ name } = { name: "" }] = workload("signer").spec.volumeClaimTemplates.map(
    ({ metadata }) => metadata,
  );
  expect(pod.volumes).toEqual([
    { name, persistentVolumeClaim: { claimName: `${name}-keyhearth-signer-0` } },
  ]);
});

test("the script makes the secrets that pods mount, with the keys that their variables name", () => {
  const bin = mkdtempSync(join(tmpdir(), "keyhearth-kubectl-"));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  writeFileSync(join(bin, "kubectl"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const script = join(website, "snippets/self-hosting/kubernetes-secrets.sh");
  const run = (environment: Record<string, string>) =>
    spawnSync("sh", [script], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env.PATH}`, ...environment },
    });
  expect(run({}).stderr).toContain("DATABASE_URL: set it to the address of your database");
  const { status, stdout } = run({ DATABASE_URL: "postgres://a:b@c/d", SMTP_URL: "smtps://e" });
  expect(status).toBe(0);
  const [apply = "", ...made] = stdout.trim().split("\n");
  expect(existsSync(join(root, apply.split(" ").at(-1) ?? ""))).toBe(true);
  expect(stdout).toContain("--from-literal=database-url=postgres://a:b@c/d ");
  const keys = made.map((line) => [
    /^create secret generic (\S+) --namespace keyhearth /.exec(line)?.[1],
    [...line.matchAll(/--from-literal=([a-z-]+)=/g)].map(([, key]) => key),
  ]);
  const mounted = ["api", "courier"].map((name) => {
    const { containers, volumes } = podOf(workload(name));
    const files = containers[0].env.filter((each) => each.name.endsWith("_FILE"));
    return [
      volumes.find(({ secret }) => secret)?.secret?.secretName,
      files.map(({ value = "" }) => /^\/run\/secrets\/keyhearth\/(.+)$/.exec(value)?.[1]),
    ];
  });
  expect(keys).toEqual(mounted);
});

test("what the page runs is in the manifests", () => {
  const page = readFileSync(join(website, "docs/self-hosting/kubernetes.mdx"), "utf8");
  const names = [...documents, command as Manifest].map(
    ({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`,
  );
  const pods = workloads.map(({ metadata }) => `pod/${metadata.name}-0`);
  const runs = [...page.matchAll(/^kubectl (\w+) (.+)$/gm)];
  expect(runs.length).toBeGreaterThan(10);
  for (const [line, verb, rest = ""] of runs) {
    const [first = "", second = ""] = rest.split(" ");
    if (verb === "apply") {
      expect([line, existsSync(join(root, second))]).toEqual([line, true]);
    } else {
      const target = verb === "exec" ? `pod/${first}` : rest.split(" ").slice(0, 3).join(" ");
      const known = [...names, ...pods].some(
        (each) => target.includes(each) || target.includes(each.replace("/", " ")),
      );
      expect([line, known]).toEqual([line, true]);
      expect(line).toContain("--namespace keyhearth");
    }
  }
  const { env, volumeMounts } = podOf(workload("signer")).containers[0];
  expect(page).toContain(`fs.readFileSync("${env[0]?.value}/root-key", "utf8")`);
  expect(env[0]?.value).toBe(`${volumeMounts[0]?.mountPath}/state`);
});

const missing = confinementMissing();
if (missing !== null) console.log(`the workloads of deploy/kubernetes are not started: ${missing}`);

/** How a cluster makes a volume: for the group of the pod, or for everybody where it cannot set a group (the long form). */
const volumes = [
  { name: "a group", owner: [0, 10_000], mode: 0o2775 },
  { name: "no group", owner: [0, 0], mode: 0o777 },
] as const;

describe.runIf(missing === null).each(isLong ? volumes : volumes.slice(0, 1))(
  "the workloads on volumes of $name",
  ({ owner, mode }) => {
    test("sign, as three users that share two sockets", { timeout: 180_000 }, async () => {
      const machine = mkdtempSync("/tmp/keyhearth-pods-");
      chmodSync(machine, 0o755);
      onTestFinished(() => rmSync(machine, { recursive: true }));
      const postgres = await startPostgres({ fsync: false });
      onTestFinished(() => postgres.stop());
      const secrets: Record<string, Record<string, string>> = {
        "keyhearth-api": {
          "database-url": await createDatabase(postgres.url, "keyhearth"),
          "metrics-token": "a-token-for-the-metrics-of-this-test",
        },
        "keyhearth-courier": { "smtp-url": "smtps://keyhearth:password@mail.example.com" },
      };

      function confine(name: string): Confined {
        const pod = podOf(workload(name));
        const [{ image, args, env, volumeMounts }] = pod.containers;
        const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = pod.securityContext;
        const places = volumeMounts
          .filter(({ mountPath }) => mountPath !== "/tmp")
          .map((mount) => [mount.mountPath, volumeOf(name, pod, mount.name)] as const);
        const [settings] = ofKind("ConfigMap");
        const variable = ({ name, value, valueFrom }: Container["env"][number]) =>
          [name, value ?? settings?.data[valueFrom?.configMapKeyRef.key ?? ""] ?? ""] as const;
        return {
          image: imageOf(image),
          args,
          user: runAsUser,
          group: runAsGroup,
          groups: [...(owner[1] === fsGroup ? [fsGroup] : []), ...supplementalGroups],
          mounts: Object.fromEntries(places),
          environment: Object.fromEntries(env.map(variable)),
          hasNetwork: name !== "signer",
        };
      }

      function volumeOf(name: string, pod: Pod, volume: string): string {
        const { secret, persistentVolumeClaim } =
          pod.volumes.find((each) => each.name === volume) ?? {};
        const claim = persistentVolumeClaim?.claimName ?? `${name}-${volume}`;
        const path = join(machine, secret?.secretName ?? claim);
        mkdirSync(path, { recursive: true });
        chownSync(path, owner[0], owner[1]);
        chmodSync(path, secret ? 0o755 : mode);
        for (const [key, text] of Object.entries(secrets[secret?.secretName ?? ""] ?? {})) {
          writeFileSync(join(path, key), text);
          chownSync(join(path, key), 0, pod.securityContext.fsGroup);
          chmodSync(join(path, key), owner[1] === 0 ? 0o444 : (secret?.defaultMode ?? 0));
        }
        return path;
      }

      const first = confine("signer");
      const created = startConfined({ ...first, args: [...first.args, "--create"] });
      await created.waitFor(/"listening"/);
      await created.stop();
      const started = ["signer", "courier"].map((name) => startConfined(confine(name)));
      const [signer] = started;
      onTestFinished(async () => {
        for (const each of started) await each.stop();
      });
      for (const each of started) await each.waitFor(/"listening"/);
      const { environment, ...api } = confine("api");
      const service = startConfined({
        ...api,
        environment: { ...environment, HOST: "127.0.0.1", PORT: "0" },
      });
      started.unshift(service);
      await service.waitFor(/Stop it with/);
      expect(service.output()).not.toMatch(/"level":"warn"/);
      const [, port] = /^ {2}Site +\S+:(\d+)$/m.exec(service.output()) ?? [];
      const key = readRootKey(join(machine, "api-state/data"));
      const { r } = await sign(`http://127.0.0.1:${port}`, key);
      expect(r).toMatch(/^[0-9a-f]{64}$/);

      await signer?.stop();
      const accepted = startConfined({
        ...confine("signer"),
        args: podOf(command as Manifest).containers[0].args,
      });
      expect([await accepted.ended, accepted.output()]).toEqual([
        0,
        expect.stringMatching(/^The signer begins new marks at .+\n$/),
      ]);

      const cat = (id: number, path: string) =>
        spawnSync("setpriv", [
          `--reuid=${id}`,
          `--regid=${id}`,
          "--clear-groups",
          "cat",
          join(machine, path),
        ]);
      expect(cat(users["keyhearth-signer"], "signer-state/state/root-key").status).toBe(0);
      expect(cat(users.keyhearth, "signer-state/state/root-key").status).not.toBe(0);
    });
  },
);
