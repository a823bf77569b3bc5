import assert from "node:assert/strict";
import { test } from "node:test";
import { withSecretFiles } from "./with-secret-files.ts";

const FILES: Readonly<Record<string, string>> = {
  "/run/url": "postgres://u:p@h/d\n",
  "/run/keys": "first\n  second \n",
  "/run/empty": " \n",
  "/run/long": "hunter2".repeat(10_000),
};

test("NAME_FILE sets NAME to the file's content without the trailing newline", () => {
  assert.equal(read({ URL_FILE: " /run/url " }).URL, "postgres://u:p@h/d");
});

test("a file with several lines becomes a list", () => {
  assert.equal(read({ URL_FILE: "/run/keys" }).URL, "first,second");
});

test("other settings are unchanged, and a blank NAME_FILE counts as unset", () => {
  const env = { URL: "postgres://a/b", URL_FILE: " ", OTHER_FILE: "/run/url", PORT: "1" };
  assert.deepEqual(read(env), env);
});

test("an unusable file is refused with a one-line error that does not quote it", () => {
  assert.throws(
    () => read({ URL_FILE: "/run/none" }),
    /^Error: URL_FILE points to \/run\/none, which cannot be read: ENOENT$/,
  );
  assert.throws(
    () => read({ URL_FILE: "/run/empty" }),
    /^Error: URL_FILE points to \/run\/empty, which is empty$/,
  );
  assert.throws(
    () => read({ URL_FILE: "/run/long" }),
    /^Error: URL_FILE points to \/run\/long, which is too long to hold a secret$/,
  );
});

test("NAME and NAME_FILE together are refused", () => {
  assert.throws(
    () => read({ URL: "postgres://a/b", URL_FILE: "/run/url" }),
    /^Error: URL_FILE must not be set together with URL$/,
  );
});

const read = (env: Record<string, string>) =>
  withSecretFiles(env, ["URL"], readText, (setting, reason) => new Error(`${setting} ${reason}`));

function readText(path: string): string {
  const text = FILES[path];
  if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  return text;
}
