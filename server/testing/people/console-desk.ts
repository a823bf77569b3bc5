import type { LightMyRequestResponse } from "fastify";
import type { AccountDeps } from "../../src/accounts/account-deps.ts";
import { addTotp, confirmTotp } from "../../src/accounts/factors/change-totp.ts";
import { acceptInvitation } from "../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { StaffRole } from "../../src/accounts/permissions.ts";
import { createFindSession } from "../../src/accounts/sessions/find-session.ts";
import { formToken } from "../../src/accounts/sessions/session-id.ts";
import { buildConsole } from "../../src/console/build-console.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { createCursorCodec } from "../../src/lib/cursor.ts";
import { createLog } from "../../src/lib/log.ts";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { PRICING_DEFAULTS } from "../../src/lib/settings/pricing-config.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { FORM_ID_FIELD, newFormId, TOKEN_FIELD } from "../../src/web/form/hidden-fields.ts";
import { maskToken } from "../../src/web/security/form-token.ts";
import { testAccounts } from "../app/test-accounts.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../app/test-app.ts";
import { TEST_WEBHOOKS } from "../app/test-settings.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { createHandClock } from "../hand-clock.ts";
import { codeFor } from "./authenticator-app.ts";
import { COMMAND, PASSWORD, STAFF_TEAM, tokenOf, VISITOR } from "./people-desk.ts";

export const CONSOLE_ORIGIN = "https://console.scrip.example";
export const CONSOLE_COOKIE = "__Host-scrip-console";

type Fields = Readonly<Record<string, string | readonly string[]>>;
/** Someone with a browser. The cookie follows what the console sets. */
export type ConsoleVisiting = { cookie: string; address?: string };
/** A member of the staff who is signed in, with a second factor and fresh proof. */
export type ConsoleVisit = ConsoleVisiting & {
  accountId: string;
  email: string;
  role: StaffRole;
  /** The key of the authenticator app. */
  totpKey: string;
  get(url: string): Promise<LightMyRequestResponse>;
  /** Sends a form as a page of the session would, with its token and a new form id. */
  post(url: string, fields?: Fields): Promise<LightMyRequestResponse>;
};

/** The real app, the console beside it on the same database, and a clock that is moved by hand. */
export async function openConsoleDesk(options: TestAppOptions & { dualControlAbove?: string } = {}) {
  const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
  const scrip = await createTestApp({ clock, ...options });
  const desk = await openConsoleOn(scrip, pickConsole(options));
  return {
    ...scrip,
    ...desk,
    clock,
    async close() {
      await desk.console.close();
      await scrip.close();
    },
  };
}

const pickConsole = ({ dualControlAbove }: { dualControlAbove?: string }) =>
  dualControlAbove === undefined ? {} : { dualControlAbove };

/** What a console needs of a test app. */
type ConsoleStore = Pick<TestApp, "db" | "clock" | "secrets" | "keyring" | "codeVault">;

/** The console of a test app. `url` is where a browser reaches it over plain HTTP, when it listens; `shopUrl` that of the app. */
export async function openConsoleOn(
  scrip: ConsoleStore,
  {
    url,
    shopUrl,
    dualControlAbove,
    suppliers = {},
  }: {
    url?: string;
    shopUrl?: string;
    dualControlAbove?: string;
    suppliers?: Readonly<Record<string, RemoteSupplier>>;
  } = {},
) {
  const accounts: AccountDeps = testAccounts(scrip, shopUrl);
  const console = buildConsole({
    ...{ db: scrip.db, clock: scrip.clock, secrets: scrip.secrets, keyring: scrip.keyring },
    codeVault: scrip.codeVault,
    log: createLog("silent", { write: () => {} }),
    metrics: createMetrics(),
    cursors: createCursorCodec(scrip.secrets.cursorKey),
    webhooks: TEST_WEBHOOKS,
    accounts: { ...accounts, urls: { ...accounts.urls, console: url ?? CONSOLE_ORIGIN } },
    sendsMail: false,
    dualControl: dualControlAbove === undefined ? undefined : parseAmountLimits(dualControlAbove),
    pricing: PRICING_DEFAULTS.pricing,
    consoleUrl: url === undefined ? CONSOLE_ORIGIN : undefined,
    baseUrl: () => "https://api.scrip.example",
    addressOf: (request) => request.ip,
    supplierCalls: createTestFulfiller(scrip, { suppliers }).deps,
    announceOrders: () => {},
    announceDeliveries: () => {},
  });
  await console.ready();
  let people = 0;

  const send = async (person: ConsoleVisiting, path: string, fields?: Fields) => {
    const reply = await console.inject({
      method: fields ? "POST" : "GET",
      url: path,
      ...(person.address === undefined ? {} : { remoteAddress: person.address }),
      headers: {
        host: new URL(CONSOLE_ORIGIN).host,
        "user-agent": VISITOR.userAgent,
        ...(person.cookie === "" ? {} : { cookie: `${CONSOLE_COOKIE}=${person.cookie}` }),
        ...(fields ? { origin: CONSOLE_ORIGIN, "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      ...(fields ? { payload: encode(scrip, person, fields) } : {}),
    });
    const cookie = consoleCookieOf(reply);
    if (cookie !== undefined) person.cookie = cookie;
    return reply;
  };

  return {
    console,
    accounts,
    get: (person: ConsoleVisiting, path: string) => send(person, path),
    post: (person: ConsoleVisiting, path: string, fields: Fields = {}) => send(person, path, fields),
    /** A new member of the staff, signed in a moment ago. */
    async enter(role: StaffRole, { hasFactor = true } = {}): Promise<ConsoleVisit> {
      people += 1;
      const email = `${role}${people}@scrip.example`;
      const { id, link } = await invitePerson(accounts, STAFF_TEAM, { email, role }, COMMAND);
      const input = { token: tokenOf(link), password: PASSWORD };
      const started = await acceptInvitation(accounts, input, VISITOR);
      const totpKey = hasFactor ? await addAuthenticator(accounts, started.cookie.reveal()) : "";
      const visit = { cookie: started.cookie.reveal(), accountId: id, email, role, totpKey };
      return Object.assign(visit, {
        get: (path: string) => send(visit, path),
        post: (path: string, fields: Fields = {}) => send(visit, path, fields),
      });
    },
  };
}

/** Sets up an authenticator app and returns its key. */
export async function addAuthenticator(accounts: AccountDeps, cookie: string): Promise<string> {
  const session = await createFindSession(accounts.db, accounts.clock)("console", cookie, VISITOR.address);
  if (!session) throw new Error("the session is not signed in");
  const { secret } = await addTotp(accounts, session);
  await confirmTotp(accounts, session, codeFor(secret.reveal(), accounts.clock.now()), VISITOR.address);
  return secret.reveal();
}

function encode(scrip: ConsoleStore, { cookie }: ConsoleVisiting, fields: Fields): string {
  const body = new URLSearchParams({
    [TOKEN_FIELD]: cookie === "" ? "" : maskToken(formToken(scrip.secrets.accountKey, cookie)),
    [FORM_ID_FIELD]: newFormId(),
  });
  for (const [name, value] of Object.entries(fields)) {
    body.delete(name);
    for (const one of typeof value === "string" ? [value] : value) body.append(name, one);
  }
  return body.toString();
}

/** What the answer sets the session's cookie to; empty when it is taken away. */
export function consoleCookieOf(reply: LightMyRequestResponse): string | undefined {
  const set = [reply.headers["set-cookie"] ?? []]
    .flat()
    .find((text) => text.startsWith(`${CONSOLE_COOKIE}=`));
  return set && /=([^;]*)/.exec(set)?.[1];
}
