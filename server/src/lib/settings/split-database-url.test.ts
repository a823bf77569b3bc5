import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { splitDatabaseUrl } from "./split-database-url.ts";

const PASSWORD = "hunter2-correct-horse";

test("a URL with one host is unchanged", () => {
  for (const text of [
    "postgres://u:p@h/d",
    "postgresql://u:p@h:5433/d?sslmode=require",
    "postgres://u:p@h:5433/d?target_session_attrs=any",
    "postgres://u:p@h:5433/d?target_session_attrs=read-write",
    "postgres://u:a,b@c@h/d",
    "postgres:///d?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/d",
    "postgres://u@:5433/d",
    "postgres://h",
    "postgres://u:p@[::1]:5433/d",
  ]) {
    assert.deepEqual(splitDatabaseUrl(text), [text]);
  }
});

test("a URL with several hosts becomes one URL per host, otherwise identical", () => {
  const text =
    "postgres://scrip:p%40ss%2Cword%2F%25@a.internal:5433,10.0.0.7,[2001:db8::7]:6000,[::1]/shop?target_session_attrs=primary";
  const clients = splitDatabaseUrl(text).map((connectionString) => new pg.Client({ connectionString }));
  assert.deepEqual(
    clients.map(({ host, port }) => [host, port]),
    [
      ["a.internal", 5433],
      ["10.0.0.7", 5432],
      ["2001:db8::7", 6000],
      ["::1", 5432],
    ],
  );
  for (const { user, password, database } of clients) {
    assert.deepEqual([user, password, database], ["scrip", "p@ss,word/%", "shop"]);
  }
});

test("an invalid URL is refused with an error that does not quote it", () => {
  for (const text of [
    "h:5432/d",
    `mysql://u:${PASSWORD}@h/d`,
    `postgres://u:${PASSWORD}@a,/d`,
    `postgres://u:${PASSWORD}@,b/d`,
    `postgres://u:${PASSWORD}@a,:5432/d`,
    `postgres://u:${PASSWORD}@a:0,b/d`,
    `postgres://u:${PASSWORD}@a,b:65536/d`,
    `postgres://u:${PASSWORD}@a:x/d`,
    `postgres://u:${PASSWORD}@a:54 32/d`,
    `postgres://u:${PASSWORD}@2001:db8::7/d`,
    `postgres://u:${PASSWORD}@[2001:db8::7/d`,
    `postgres://u:${PASSWORD}@[a],b/d`,
    `postgres://u:${PASSWORD}@a, b/d`,
    `postgres://u:${PASSWORD}@a,b/d?target_session_attrs=any`,
    `postgres://u:${PASSWORD}@a,b/d?target_session_attrs=standby`,
    `postgres://u:${PASSWORD}@a/d?target_session_attrs=read-only`,
    `postgres://u:${PASSWORD}@/d?host=a,b`,
    `postgres://u:${PASSWORD}@a,b/d?port=5432,5433`,
    `postgres://u:${PASSWORD}@${Array(17).fill("a").join(",")}/d`,
  ]) {
    assert.throws(
      () => splitDatabaseUrl(text),
      (error: Error) => {
        assert.ok(error instanceof RangeError, String(error));
        assert.match(error.message, /^must [^\n]+$/);
        return !error.message.includes(PASSWORD);
      },
      text,
    );
  }
});
