import { isPermitted } from "../../accounts/permissions.ts";
import { hasFreshProof } from "../../accounts/sessions/session-life.ts";
import { DEFAULT_SCOPES, SCOPES } from "../../http/caller.ts";
import { keyPrefix } from "../../keys/key-format.ts";
import { type KeyState, keyState } from "../../keys/list-keys.ts";
import type { KeyRow } from "../../keys/queries.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, environmentOf, here } from "../session.ts";
import { createForm } from "./key-forms.ts";
import { limitsCell } from "./key-limits.ts";

export type KeysData = {
  keys: readonly KeyRow[];
  /** The emails of the people on the team, by their ids. */
  people: ReadonlyMap<string, string>;
};

export const KEYS = `${BASE}/keys`;
export const keyPath = (id: string): string => `${KEYS}/${encodeURIComponent(id)}`;

export const startCreate = (): FormState => createForm.start({ scopes: [...DEFAULT_SCOPES] });

/** The keys of one environment and the form for a new one. `notice` is above them, such as a key that was just made. */
export function renderKeys(
  { keys, people }: KeysData,
  ctx: DashboardContext,
  state: FormState = startCreate(),
  notice?: Html,
): PageContent {
  const mayManage = isPermitted(ctx.session.account, "keys.manage");
  return {
    title: "API keys",
    subtitle:
      "A key can do what its scopes allow, from the addresses you name. Changes apply from the next request.",
    ...(mayManage ? { actions: linkButton("New key", "#create") } : {}),
    body: stack(
      notice,
      keyTable(keys, people, ctx, mayManage),
      mayManage
        ? panel(
            { title: `New ${environmentOf(ctx)} key` },
            createForm.render({
              action: here(ctx, KEYS),
              hidden: ctx.hidden({ once: true }),
              state,
              submit: "Create key",
              id: "create",
              note: noteOf(ctx),
            }),
          )
        : undefined,
    ),
  };
}

const noteOf = (ctx: DashboardContext): Html =>
  environmentOf(ctx) === "test"
    ? html`<p class="quiet">A test key works in the sandbox only. It is shown once.</p>`
    : html`<p class="quiet">A live key can spend from the wallet. It is shown once.${
        hasFreshProof(ctx.session.account, ctx.now)
          ? undefined
          : " You will be asked to confirm that it is you."
      }</p>`;

const FILTERS = ["current", "ended"] as const;

function keyTable(
  keys: readonly KeyRow[],
  people: ReadonlyMap<string, string>,
  ctx: DashboardContext,
  mayManage: boolean,
): Html {
  const isEnded = (key: KeyRow): boolean => ["revoked", "expired"].includes(keyState(key, ctx.now));
  const shown = ctx.query.show === "ended" ? "ended" : "current";
  const rows = keys.filter((key) => isEnded(key) === (shown === "ended"));
  const byId = new Map(keys.map((key) => [key.id, key]));
  return tablePanel<KeyRow>({
    caption: "API keys",
    rows,
    filters: html`<div class="filters">${choice(
      "Keys",
      FILTERS.map((filter) => ({
        label: filter === "ended" ? "Revoked and expired" : "In use",
        href: here(ctx, KEYS, filter === "ended" ? { show: filter } : {}),
        isCurrent: filter === shown,
        count: keys.filter((key) => isEnded(key) === (filter === "ended")).length,
      })),
    )}</div>`,
    empty:
      shown === "ended"
        ? emptyState("No ended keys", "Keys that were revoked or have expired are listed here.")
        : emptyState(
            `No ${environmentOf(ctx)} keys yet`,
            mayManage
              ? "Create one below to use the API. The key is shown once."
              : "An owner or a developer of your team can create one.",
          ),
    columns: [
      { head: "Key", cell: (key) => nameCell(key, ctx) },
      { head: "State", cell: (key) => stateCell(key, ctx, byId) },
      { head: "Scopes", wraps: true, cell: (key) => scopesText(key.scopes) },
      { head: "Addresses", wraps: true, cell: ({ allowedIps }) => addressesText(allowedIps) },
      { head: "Limits", wraps: true, cell: (key) => limitsCell(key) },
      { head: "Last used", cell: (key) => lastUsed(key, ctx.now) },
      {
        head: "Created",
        wraps: true,
        cell: (key) => twoLines(time(key.createdAt, ctx.now), creatorText(key, people)),
      },
      ...(mayManage && shown === "current"
        ? [{ head: html`<span class="hidden">Actions</span>`, cell: (key: KeyRow) => actions(key, ctx) }]
        : []),
    ],
  });
}

const nameCell = (key: KeyRow, ctx: DashboardContext): Html =>
  twoLines(
    html`<a class="link" href="${here(ctx, keyPath(key.id))}">${nameOf(key)}</a>`,
    html`<code>${hintOf(key)}</code>`,
  );

export const nameOf = ({ name }: Pick<KeyRow, "name">): string => (name === "" ? "Unnamed key" : name);

export const hintOf = (key: Pick<KeyRow, "environment" | "lastFour">): string =>
  `${keyPrefix(key.environment)}…${key.lastFour}`;

/** From so few that are missing it is shorter to say which. */
const MISSING_SAID = 1;

export function scopesText(scopes: readonly string[]): string {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return "all";
  return missing.length === MISSING_SAID ? `all except ${missing.join(", ")}` : scopes.join(", ");
}

const ADDRESSES_SHOWN = 2;

function addressesText(allowedIps: readonly string[]): HtmlValue {
  if (allowedIps.length === 0) return html`<span class="quiet">any</span>`;
  const more = allowedIps.length - ADDRESSES_SHOWN;
  const text = allowedIps.slice(0, ADDRESSES_SHOWN).join(", ");
  return html`<code>${text}</code>${more > 0 ? html` <span class="quiet">and ${more} more</span>` : undefined}`;
}

export const lastUsed = ({ lastUsedAt, lastUsedIp }: KeyRow, now: Date): HtmlValue =>
  lastUsedAt === null
    ? html`<span class="quiet">never</span>`
    : twoLines(time(lastUsedAt, now), html`<code>${lastUsedIp}</code>`);

export function creatorText(key: KeyRow, people: ReadonlyMap<string, string>): string {
  if (key.creatorKind === null) return "";
  if (key.creatorKind !== "user") return "by the operator";
  return `by ${people.get(key.creatorId ?? "") ?? "a former member"}`;
}

/** The state with what explains it: when a key ends, and which one replaces it. */
export function stateCell(key: KeyRow, ctx: DashboardContext, byId: ReadonlyMap<string, KeyRow>): HtmlValue {
  const state: KeyState = keyState(key, ctx.now);
  const at = state === "revoked" ? key.revokedAt : state === "frozen" ? key.frozenAt : key.expiresAt;
  const replacement = byId.get(key.replacedById ?? "");
  const when = at === null ? undefined : html`${ENDS[state]} ${time(at, ctx.now)}`;
  const by =
    replacement &&
    html`<div class="quiet">replaced by <a class="link" href="${here(ctx, keyPath(replacement.id))}">…${replacement.lastFour}</a></div>`;
  return html`${chip(state)}${when === undefined ? undefined : html`<div class="quiet">${when}</div>`}${by}`;
}

const ENDS: Readonly<Record<KeyState, string>> = {
  active: "expires",
  frozen: "frozen",
  ending: "ends",
  expired: "ended",
  revoked: "revoked",
};

const actions = (key: KeyRow, ctx: DashboardContext): Html =>
  row(
    key.replacedById === null
      ? html`<a class="link" href="${here(ctx, `${keyPath(key.id)}/roll`)}">Roll key</a>`
      : undefined,
    html`<a class="link" href="${here(ctx, `${keyPath(key.id)}/revoke`)}">Revoke</a>`,
  );
