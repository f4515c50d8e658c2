import { expect, test } from "vitest";
import { STANDBY_TARGETS, urlsOfHosts } from "./database-url.ts";

test("a URL of several hosts is one for each of them", () => {
  const rest = "/name?target_session_attrs=read-write&sslmode=verify-full";
  expect(urlsOfHosts(`postgres://me:p%40ss@a:5432,b,[::1]:5433${rest}`)).toEqual([
    `postgres://me:p%40ss@a:5432${rest}`,
    `postgres://me:p%40ss@b${rest}`,
    `postgres://me:p%40ss@[::1]:5433${rest}`,
  ]);
  expect(urlsOfHosts("postgresql://a,b")).toEqual(["postgresql://a", "postgresql://b"]);
  expect(urlsOfHosts("postgres://a,b/x?target_session_attrs=primary")).toHaveLength(2);
});

test("standbys are asked for by another target than a primary", () => {
  const url = (target: string) => `postgres://a,b/x?target_session_attrs=${target}`;
  for (const target of STANDBY_TARGETS) {
    expect(urlsOfHosts(url(target), STANDBY_TARGETS)).toHaveLength(2);
  }
  expect(urlsOfHosts(url("read-write"), STANDBY_TARGETS)).toBe(undefined);
  expect(urlsOfHosts("postgres://a,b/x", STANDBY_TARGETS)).toHaveLength(2);
});

test("a password may have what ends it elsewhere", () => {
  expect(urlsOfHosts("postgres://me:p@ss,w@a,b/x")).toEqual([
    "postgres://me:p@ss,w@a/x",
    "postgres://me:p@ss,w@b/x",
  ]);
});

test("a URL of one host stays as it is", () => {
  for (const url of [
    "postgres://localhost",
    "postgres://me:a,b@localhost/name",
    "postgres://me@/name?host=/run/postgresql",
  ]) {
    expect(urlsOfHosts(url)).toEqual([url]);
  }
});

test.each([
  "mysql://a,b",
  "postgres://",
  "postgres://a,,b/x",
  "postgres://,a/x",
  "postgres://a,a/x",
  "postgres://a,b:port/x",
  "postgres://a b,c/x",
  "postgres:///x?host=a,b",
  "postgres://a,b/x?host=c",
  "postgres://a,b/x?port=5433",
  "postgres://a,b/x?target_session_attrs=any",
  "postgres://a,b/x?target_session_attrs=standby",
  "postgres://a,b/x?target_session_attrs=read-write&target_session_attrs=prefer-standby",
])("%s is none", (url) => {
  expect(urlsOfHosts(url)).toBe(undefined);
});
