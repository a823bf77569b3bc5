import { listPeople } from "../../accounts/people/list-people.ts";
import type { CreatedKey } from "../../keys/create-key.ts";
import { dayOf } from "../../keys/limits/change-limits.ts";
import { findSpentOn } from "../../keys/limits/limit-queries.ts";
import { getKey, listKeys } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { Problem } from "../../lib/problem.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { secretOnce } from "../../web/parts/copy.ts";
import { exactTime } from "../../web/parts/time.ts";
import { type DashboardContext, type DashboardDeps, type DashboardFace, here, tenantOf } from "../session.ts";
import { changeKeyHere, createKeyHere, revokeKeyHere, rollKeyHere, unfreezeKeyHere } from "./change-keys.ts";
import { curlLine } from "./curl-line.ts";
import { confirmForm, createForm, editForm, readAddresses, rollForm } from "./key-forms.ts";
import { readLimitFields } from "./key-limits.ts";
import { type KeyData, renderKey, renderRevoke, renderRoll } from "./render-key.ts";
import { hintOf, KEYS, type KeysData, keyPath, nameOf, renderKeys, startCreate } from "./render-keys.ts";

const HOUR_MS = 3_600_000;
const ID = `${KEYS}/:id`;

/** API keys: list, create, edit, roll, revoke. */
export function keyPages(face: DashboardFace, deps: DashboardDeps): void {
  addList(face, deps);
  addKey(face, deps);
  addRoll(face, deps);
  addRevoke(face, deps);
  addUnfreeze(face, deps);
}

/** The button is on the page of a frozen key. */
function addUnfreeze(face: DashboardFace, deps: DashboardDeps): void {
  face.action({
    path: `${ID}/unfreeze`,
    permission: "keys.manage",
    form: confirmForm,
    does: async (_values, ctx) => `Unfreeze ${await sayKey(deps, ctx)}. It can place orders again.`,
    async run(_values, ctx) {
      const key = await keyOf(deps, ctx);
      await unfreezeKeyHere({ deps, ctx }, key);
      return redirect(here(ctx, keyPath(key.id)), `${nameOf(key)} ${hintOf(key)} can place orders again.`);
    },
    again: async (_state, ctx) => renderKey(await loadKey(deps, ctx), ctx),
  });
}

function addList(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: KEYS,
    permission: "keys.read",
    load: (ctx) => loadKeys(deps, ctx),
    render: (data, ctx) => renderKeys(data, ctx),
  });
  face.action({
    path: KEYS,
    permission: "keys.manage",
    form: createForm,
    once: true,
    does: ({ name }) => `Create the live key ${name}. It is shown once.`,
    async run({ name, scopes, allowedIps, expires, ...limits }, ctx) {
      if (expires && expires <= ctx.now) throw inThePast();
      const created = await createKeyHere(
        { deps, ctx },
        {
          name,
          scopes,
          allowedIps: readAddresses(allowedIps),
          expiresAt: expires,
          limits: readLimitFields(limits),
        },
      );
      return showKey(deps, ctx, created);
    },
    again: async (state, ctx) => renderKeys(await loadKeys(deps, ctx), ctx, state),
  });
}

function addKey(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: ID,
    permission: "keys.read",
    load: (ctx) => loadKey(deps, ctx),
    render: (data, ctx) => renderKey(data, ctx),
  });
  face.action({
    path: ID,
    permission: "keys.manage",
    form: editForm,
    does: async (_values, ctx) =>
      `Change what ${await sayKey(deps, ctx)} may do. It applies from the next request.`,
    async run({ name, scopes, allowedIps, ...limits }, ctx) {
      const key = await keyOf(deps, ctx);
      const changes = { name, scopes, allowedIps: readAddresses(allowedIps) };
      await changeKeyHere({ deps, ctx }, key, { ...changes, limits: readLimitFields(limits) });
      return redirect(here(ctx, KEYS), `${name} was changed. It applies from the next request.`);
    },
    again: async (state, ctx) => renderKey(await loadKey(deps, ctx), ctx, state),
  });
}

function addRoll(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: `${ID}/roll`,
    permission: "keys.manage",
    load: (ctx) => keyOf(deps, ctx),
    render: (key, ctx) => renderRoll(key, ctx),
  });
  face.action({
    path: `${ID}/roll`,
    permission: "keys.manage",
    form: rollForm,
    once: true,
    does: async ({ grace = 0 }, ctx) =>
      `Replace ${await sayKey(deps, ctx)}. The old key ${grace === 0 ? "stops working at once" : `works for ${grace} more hours`}.`,
    async run({ grace = 0 }, ctx) {
      const old = await keyOf(deps, ctx);
      const rolled = await rollKeyHere({ deps, ctx }, old, grace * HOUR_MS);
      const end = grace === 0 ? "has stopped working" : `works until ${exactTime(rolled.oldKeyEndsAt)}`;
      return showKey(deps, ctx, rolled, `The old key ${hintOf(old)} ${end}.`);
    },
    again: async (state, ctx) => renderRoll(await keyOf(deps, ctx), ctx, state),
  });
}

function addRevoke(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: `${ID}/revoke`,
    permission: "keys.manage",
    load: (ctx) => keyOf(deps, ctx),
    render: renderRevoke,
  });
  face.action({
    path: `${ID}/revoke`,
    permission: "keys.manage",
    form: confirmForm,
    async run(_values, ctx) {
      const key = await keyOf(deps, ctx);
      await revokeKeyHere({ deps, ctx }, key);
      return redirect(here(ctx, KEYS), `${nameOf(key)} ${hintOf(key)} was revoked.`);
    },
    again: async (_state, ctx) => renderRevoke(await keyOf(deps, ctx), ctx),
  });
}

const keyOf = (deps: DashboardDeps, ctx: DashboardContext): Promise<KeyRow> =>
  getKey(deps.db, tenantOf(ctx), ctx.params.id ?? "");

async function sayKey(deps: DashboardDeps, ctx: DashboardContext): Promise<string> {
  const key = await keyOf(deps, ctx);
  return `${nameOf(key)} (${hintOf(key)})`;
}

async function loadKeys(deps: DashboardDeps, ctx: DashboardContext): Promise<KeysData> {
  const [keys, people] = await Promise.all([listKeys(deps.db, tenantOf(ctx)), emailsOf(deps, ctx)]);
  return { keys, people };
}

async function loadKey(deps: DashboardDeps, ctx: DashboardContext): Promise<KeyData> {
  const key = await keyOf(deps, ctx);
  const ids = [key.replacesId, key.replacedById].filter((id) => id !== null);
  const [related, people, spent] = await Promise.all([
    Promise.all(ids.map((id) => getKey(deps.db, tenantOf(ctx), id))),
    emailsOf(deps, ctx),
    findSpentOn(deps.db, [key.id], dayOf(ctx.now)),
  ]);
  return {
    key,
    people,
    spentMinor: spent.get(key.id) ?? 0n,
    related: new Map(related.map((one) => [one.id, one])),
  };
}

async function emailsOf(deps: DashboardDeps, ctx: DashboardContext): Promise<ReadonlyMap<string, string>> {
  const people = await listPeople(deps.db, ctx.session.account.team);
  return new Map(people.map(({ id, email }) => [id, email]));
}

/** The only time that the key itself is available, above the list that it is now in. */
async function showKey(
  deps: DashboardDeps,
  ctx: DashboardContext,
  created: CreatedKey,
  note = "Store it like a password. Nobody can read it again.",
): Promise<ActionResult> {
  const curl = curlLine(deps.baseUrl(), created.key, created.scopes);
  const secrets = [created.key, ...(curl === undefined ? [] : [curl])];
  const shown = secretOnce("Your new key. This is the only time it is shown.", secrets, note);
  return showOnce(renderKeys(await loadKeys(deps, ctx), ctx, startCreate(), shown));
}

const inThePast = (): Problem => {
  const detail = "Choose a day in the future.";
  return new Problem("invalid_request", detail, {
    errors: [{ pointer: "/expires", code: "invalid_request", detail }],
  });
};
