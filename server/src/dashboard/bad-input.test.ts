import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MATRIX } from "../../testing/app/dashboard-matrix.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import { type DashboardVisitor, ORIGIN } from "../../testing/people/dashboard-visitor.ts";
import {
  addFilledProducts,
  type FilledReseller,
  fillReseller,
} from "../../testing/people/filled-reseller.ts";
import { COMMAND, PASSWORD, tokenOf } from "../../testing/people/people-desk.ts";
import { requestReset } from "../accounts/passwords/reset-password.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import { makeEntry } from "../accounts/people/open-entry.ts";
import { listActivity } from "../activity/list-activity.ts";

const HOUR_MS = 3_600_000;
let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
let filled: FilledReseller;
let owner: DashboardVisitor;
/** Whose things the forms may change and take away. */
let spare: FilledReseller;
let spareOwner: DashboardVisitor;
before(async () => {
  desk = await openDashboardDesk({ clock: createHandClock(new Date()) });
  await addFilledProducts(desk, "Card");
  filled = await fillReseller(desk, "plain");
  owner = await desk.join(filled.resellerId, "owner");
  spare = await fillReseller(desk, "spare");
  spareOwner = await desk.join(spare.resellerId, "owner");
});
after(() => desk?.close());

const addressOf = (path: string, { productId, ...fixtures }: FilledReseller): string =>
  `${path.replace(":id", MATRIX[`POST ${path}`]?.ids?.(fixtures).id ?? productId)}?env=test`;
const FORMS = Object.entries(MATRIX)
  .filter(([key, { endsSession }]) => key.startsWith("POST ") && !endsSession)
  .map(([key]) => key.slice("POST ".length));
/** Every name that a form of the dashboard has. */
const NAMES = [
  ...[
    "email",
    "name",
    "role",
    "password",
    "current",
    "code",
    "pending",
    "methods",
    "back",
    "carried",
    "token",
  ],
  ...[
    "credential",
    "id",
    "ids",
    "required",
    "url",
    "events",
    "active",
    "grace",
    "seenAt",
    "seenUrl",
    "since",
  ],
  ...[
    "seenEvents",
    "until",
    "scopes",
    "allowedIps",
    "expires",
    "quantity",
    "reference",
    "scenario",
    "codeId",
  ],
  ...["theme", "lowBalance", "threshold", "failingEndpoints", "input.playerId"],
];
const BAD: Readonly<Record<string, string>> = {
  // As long as fits into a form with all of the names.
  "a long text": "n".repeat(1_500),
  "control characters": "a\u0000b\u0007c\u001b[2J\u202ed\u2028e",
  markup: `"><img src=x onerror=planted()>`,
  "half a number": "-1e999",
};

const changes = async (): Promise<number> =>
  (await listActivity(desk.db, { kind: "staff" }, {}, { limit: 100 })).data.length;

for (const [what, value] of Object.entries(BAD))
  test(`every form takes ${what} in every field: a page says what is wrong, and nothing breaks`, async () => {
    const statuses: number[] = [];
    for (const path of FORMS) {
      const fields = Object.fromEntries(NAMES.map((name) => [name, value]));
      const reply = await spareOwner.post(addressOf(path, spare), fields);
      statuses.push(reply.statusCode);
      assert.ok(reply.statusCode < 500, `${path}: ${reply.statusCode}`);
      assert.doesNotMatch(reply.body, /<img src=x/, path);
    }
    // Most are judged by their fields, and not refused before.
    assert.ok(statuses.filter((status) => status === 422).length > FORMS.length / 3, `${statuses}`);
  });

test("a name of 10,000 characters is refused at its field with what was typed, wherever there is one", async () => {
  const name = "n".repeat(10_000);
  for (const [path, fields] of [
    ["/dashboard/keys?env=test", { scopes: "orders:read" }],
    [`/dashboard/keys/${filled.keyId}?env=test`, { scopes: "orders:read" }],
    ["/dashboard/team", { email: "long@corner.example", role: "viewer" }],
  ] as const) {
    const reply = await owner.post(path, { ...fields, name });
    assert.equal(reply.statusCode, 422, path);
    assert.match(reply.body, /is 10000 characters long\. Use at most \d+\./, path);
    assert.ok(reply.body.includes(`value="${name}"`), path);
  }
});

test("a form about a key that was revoked meanwhile says so, whatever is in it", async () => {
  const { id } = await desk.addKey(filled.resellerId, { env: "test" });
  const path = `/dashboard/keys/${id}`;
  assert.equal((await owner.post(`${path}/revoke?env=test`)).statusCode, 303);
  for (const [verb, fields] of [
    ["", { name: "late", scopes: "orders:read" }],
    ["", { name: "", scopes: "orders:read" }],
    ["/roll", { grace: "1" }],
  ] as const) {
    const reply = await owner.post(`${path}${verb}?env=test`, fields);
    assert.equal(reply.statusCode, 422, verb);
    assert.match(reply.body, /was revoked|has ended|is revoked/, `${verb} ${JSON.stringify(fields)}`);
  }
});

test("a file where text belongs is refused by every form, and nothing of it is done", async () => {
  const before = await changes();
  const payload = `--x\r\nContent-Disposition: form-data; name="name"; filename="a"\r\n\r\nfile\r\n--x--\r\n`;
  for (const path of FORMS) {
    const reply = await desk.app.inject({
      method: "POST",
      url: addressOf(path, filled),
      headers: {
        cookie: `__Host-scrip=${owner.cookie}`,
        origin: ORIGIN,
        "content-type": "multipart/form-data; boundary=x",
      },
      payload,
    });
    assert.equal(reply.statusCode, 415, path);
    assert.match(reply.body, /This form takes text, not files/, path);
  }
  assert.equal(await changes(), before);
});

test("every page takes an address with anything in it", async () => {
  const paths = Object.keys(MATRIX).filter((key) => key.startsWith("GET "));
  const names = [
    "q",
    "cursor",
    "from",
    "to",
    "status",
    "type",
    "env",
    "back",
    "month",
    "token",
    "keyId",
    "orderId",
  ];
  for (const value of [BAD["control characters"] ?? "", BAD["half a number"] ?? ""]) {
    const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, value]))).toString();
    for (const key of paths) {
      const path = key.slice("GET ".length);
      const id = MATRIX[key]?.ids?.(filled).id ?? filled.productId;
      for (const url of [path.replace(":id", id), path.replace(":id", encodeURIComponent(value))]) {
        const reply = await owner.get(`${url}?${query}&since=${encodeURIComponent(value)}`);
        assert.ok(reply.statusCode < 500, `${url}: ${reply.statusCode}`);
      }
    }
  }
});

test("a link that is wrong, expired, used or replaced is a page that says what to do, and signs nobody in", async () => {
  const team = { kind: "user", resellerId: filled.resellerId } as const;
  const invite = async (email: string) =>
    tokenOf((await invitePerson(desk.accounts, team, { email, role: "viewer" }, COMMAND)).link);
  const replaced = await invite("link@corner.example");
  const used = await invite("link@corner.example");
  const accepted = { token: used, password: PASSWORD };
  assert.equal((await desk.post({ cookie: "" }, "/dashboard/accept", accepted)).statusCode, 303);
  const expired = await invite("late@corner.example");
  const entry = tokenOf(await makeEntry(desk.accounts, { id: owner.id, kind: "user" }));
  const reset = await resetToken(owner.email);
  desk.clock.advance(73 * HOUR_MS);
  const tokens = {
    replaced,
    used,
    expired,
    entry,
    reset,
    wrong: "x",
    none: "",
    hostile: "\u0000",
    long: "x".repeat(5_000),
  };
  for (const path of ["/dashboard/accept", "/dashboard/reset", "/dashboard/enter"])
    for (const [what, token] of Object.entries(tokens)) {
      // Without a token this is where a reset is asked for.
      if (path === "/dashboard/reset" && what === "none") continue;
      const stranger = { cookie: "" };
      const page = await desk.get(stranger, `${path}?token=${encodeURIComponent(token)}`);
      assert.equal(page.statusCode, 410, `${path} ${what}`);
      assert.match(page.body, /This link does not work/);
      if (path !== "/dashboard/enter") {
        const form = await desk.post(stranger, path, { token, password: PASSWORD });
        assert.equal(form.statusCode, 410, `${path} ${what}`);
      }
      assert.equal(stranger.cookie, "");
    }
});

async function resetToken(email: string): Promise<string> {
  const letters: string[] = [];
  const queueLetter = async (_tx: unknown, { text }: { text: string }) => letters.push(text) > 0;
  await requestReset({ ...desk.accounts, queueLetter }, "dashboard", { email }, "127.0.0.1", 0);
  return tokenOf(/https:\S+/.exec(letters[0] ?? "")?.[0] ?? "https://none.example");
}

test("a form that is sent twice is done once, whatever it does", async () => {
  const person = await desk.join(filled.resellerId, "owner");
  const twice: readonly (readonly [path: string, fields: Record<string, string>, action: string])[] = [
    ["/dashboard/keys?env=test", { name: "twice", scopes: "orders:read" }, "key.created"],
    [`/dashboard/keys/${filled.keyId}/roll?env=test`, { grace: "1" }, "key.rolled"],
    ["/dashboard/webhooks?env=test", { url: "https://hooks.example.com/twice" }, "webhook.created"],
    [`/dashboard/webhooks/${filled.webhookId}/rotate?env=test`, { grace: "0" }, "webhook.secret_rotated"],
    ["/dashboard/team", { email: "twice@corner.example", role: "viewer" }, "person.invited"],
    [`/dashboard/catalog/${filled.productId}/try?env=test`, { quantity: "1" }, "order.placed"],
  ];
  for (const [index, [path, fields, action]] of twice.entries()) {
    const count = async () =>
      (
        await listActivity(
          desk.db,
          { kind: "reseller", resellerId: filled.resellerId },
          { action },
          { limit: 100 },
        )
      ).data.length;
    const before = await count();
    const form = { ...fields, _form: `twice-twice-twice-twi${index}` };
    const replies = await Promise.all([person.post(path, form), person.post(path, form)]);
    for (const { statusCode, body } of replies)
      if (statusCode === 409) assert.match(body, /is not run twice\. Check whether it was done/, path);
    assert.equal(await count(), before + 1, `${path}: ${replies.map(({ statusCode }) => statusCode)}`);
  }
});
