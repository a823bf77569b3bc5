import { Agent, request } from "node:http";
import { acceptInvitation } from "../../server/src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../server/src/accounts/people/invite-person.ts";
import type { Db } from "../../server/src/db/database.ts";
import { loadServerSecrets } from "../../server/src/keys/server-secrets.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { openKeyring } from "../../server/src/vault/keyring.ts";
import { testAccounts } from "../../server/testing/app/test-accounts.ts";
import { COMMAND, PASSWORD, tokenOf, VISITOR } from "../../server/testing/people/people-desk.ts";

/** The cookie of an owner of the reseller who is signed in. */
export async function signInOwner(db: Db, dataDir: string, resellerId: string): Promise<string> {
  const keyring = await openKeyring([], dataDir);
  const secrets = await loadServerSecrets(db, keyring.masterKeys());
  const accounts = testAccounts({ db, clock: systemClock, keyring, secrets });
  // A database that is kept for further runs has owners already.
  const email = `owner-${Date.now()}@${resellerId.replaceAll("_", "-")}.example`;
  const input = { email, role: "owner" };
  const { link } = await invitePerson(accounts, { kind: "user", resellerId }, input, COMMAND);
  const accepted = { token: tokenOf(link), password: PASSWORD };
  return `scrip=${(await acceptInvitation(accounts, accepted, VISITOR)).cookie.reveal()}`;
}

const agent = new Agent({ keepAlive: true });
const TIMEOUT_MS = 30_000;

/** How long the server takes for a page, in milliseconds. Anything but a page is an error. */
export const timePage = (url: string, cookie: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, { agent, headers: { cookie, "accept-encoding": "br" }, timeout: TIMEOUT_MS });
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error(`${url} took longer than ${TIMEOUT_MS} ms`)));
    sent.on("response", (reply) => {
      reply.resume();
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${url} answered ${reply.statusCode}`));
      });
    });
    sent.end();
  });

/** One page after another at a steady rate, whether the one before has come or not. Returns every time. */
export async function visitSteadily(
  urls: readonly string[],
  cookie: string,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const began = performance.now();
  const visits: Promise<number>[] = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const waitMs = began + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    visits.push(timePage(urls[index % urls.length] ?? "", cookie));
  }
  return Promise.all(visits);
}
