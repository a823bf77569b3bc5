import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { openPeopleDesk, VISITOR } from "../../testing/people/people-desk.ts";
import { requestReset } from "./passwords/reset-password.ts";
import { pruneAccounts } from "./prune-accounts.ts";
import { signIn } from "./sign-in/sign-in.ts";
import { offerPasskeySignIn } from "./sign-in/sign-in-with-passkey.ts";

const desk = await openPeopleDesk();
const { deps, clock, db } = desk;
after(desk.drop);

const DAY_MS = 24 * 3_600_000;
const counts = async () => {
  const [row] = await db.rows<Record<string, number>>(sql`
    select (select count(*)::integer from guess_counts) as guesses,
           (select count(*)::integer from account_challenges) as challenges,
           (select count(*)::integer from account_links) as links,
           (select count(*)::integer from sessions) as sessions,
           (select count(*)::integer from accounts) as people`);
  return row;
};

test("what nobody needs any more is removed, each thing in its time, and people stay", async () => {
  const { email } = await desk.join(await desk.newTeam(), "owner");
  await requestReset(deps, "dashboard", { email }, VISITOR.address, 0);
  await signIn(deps, "dashboard", { email, password: "wrong" }, VISITOR);
  await offerPasskeySignIn(deps, "dashboard");
  const full = { guesses: 3, challenges: 1, links: 2, sessions: 1, people: 1 };
  await pruneAccounts(deps);
  assert.deepEqual(await counts(), full);
  clock.advance(DAY_MS + 6 * 60_000);
  assert.equal(await pruneAccounts(deps), false);
  assert.deepEqual(await counts(), { ...full, guesses: 0, challenges: 0 });
  clock.advance(40 * DAY_MS);
  await pruneAccounts(deps);
  assert.deepEqual(await counts(), { ...full, guesses: 0, challenges: 0, links: 0 });
  clock.advance(60 * DAY_MS);
  await pruneAccounts(deps);
  assert.deepEqual(await counts(), { guesses: 0, challenges: 0, links: 0, sessions: 0, people: 1 });
});
