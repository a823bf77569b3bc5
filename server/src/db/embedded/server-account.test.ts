import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { lchown, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  atEnd,
  dataPathOf,
  makeDataDir,
  postmasterPid,
  query,
} from "../../../testing/database/embedded-testing.ts";
import { openEmbedded } from "./open-embedded.ts";
import type { Account } from "./run-program.ts";
import { findServerAccount } from "./server-account.ts";

const NOBODY = 65_534;
const quiet = () => {};
const ownUid = process.getuid?.() ?? 0;

/** What a process of another account can see of the server's working directory, which is its data. */
const readDataAs = ({ uid, gid }: Account, pid: number): Promise<unknown> =>
  promisify(execFile)("ls", [`/proc/${pid}/cwd/`], { uid, gid });

test("PostgreSQL runs under its own account, and a process of another user cannot reach its data", async (t) => {
  const dataDir = await makeDataDir(t);
  const database = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, database.close);
  const pid = await postmasterPid(dataDir);
  const { uid, gid } = await stat(`/proc/${pid}`);
  if (ownUid !== 0) {
    assert.equal(uid, ownUid, "without root there is only one account");
    return;
  }
  assert.ok(uid !== 0 && uid !== NOBODY, `it runs as ${uid}`);
  await assert.rejects(readDataAs({ uid: NOBODY, gid: NOBODY }, pid), /Permission denied/);
  await readDataAs({ uid, gid }, pid);
});

test("data that an earlier version ran as nobody is transferred at the next start", async (t) => {
  const dataDir = await makeDataDir(t);
  const first = await openEmbedded({ dataDir, log: quiet });
  await query(first.connectionString, "create table kept as select 7 as value");
  await first.close();
  const { account } = await findServerAccount(dataDir);
  const data = dataPathOf(dataDir);
  if (account !== undefined)
    for (const name of ["", ...(await readdir(data, { recursive: true }))])
      await lchown(join(data, name), NOBODY, NOBODY);

  const second = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, second.close);
  assert.deepEqual(await query(second.connectionString, "select value from kept"), [{ value: 7 }]);
  assert.equal((await stat(data)).uid, account?.uid ?? ownUid);
  assert.equal((await stat(join(data, "PG_VERSION"))).uid, account?.uid ?? ownUid);
});
