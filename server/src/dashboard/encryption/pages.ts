import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { rehearse } from "../../db/rehearse.ts";
import {
  findKeyFault,
  registerEncryptionKey,
  removeEncryptionKey,
} from "../../fulfilment/sealing/change-encryption-key.ts";
import { type EncryptionKeyRow, listKeyRows } from "../../fulfilment/sealing/sealing-queries.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { idText } from "../../web/parts/copy.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { dateText, time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { html } from "../../web/template/html.ts";
import {
  actorOf,
  BASE,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  environmentOf,
  here,
  tenantOf,
} from "../session.ts";

const PATH = `${BASE}/encryption`;

const registerForm = defineForm({
  publicKey: textField({
    label: "Public key",
    required: true,
    isCode: true,
    maxLength: 64,
    hint: "An X25519 public key: 32 bytes in base64url. Never paste the private key here.",
    check: findKeyFault,
  }),
});
const removeForm = defineForm({});

/** The key that codes are sealed to. Owners change it: codes that are sealed to a lost key are lost. */
export function encryptionPages(face: DashboardFace, deps: DashboardDeps): void {
  const load = (ctx: DashboardContext) => listKeyRows(deps.db, tenantOf(ctx));
  const by = (ctx: DashboardContext) => ({ actor: actorOf(ctx), address: ctx.address });
  face.page({
    path: PATH,
    permission: "encryption.manage",
    load,
    render: (keys, ctx) => renderKeys(keys, registerForm.start({ publicKey: "" }), ctx),
  });
  face.action({
    path: PATH,
    permission: "encryption.manage",
    form: registerForm,
    does: async ({ publicKey }, ctx) => {
      await rehearse(deps, (trial) => registerEncryptionKey(trial, tenantOf(ctx), publicKey, by(ctx)));
      return `Seal ${environmentOf(ctx)} codes to this key from now on. Only its private key opens them.`;
    },
    async run({ publicKey }, ctx) {
      requireFreshProof(ctx.session.account, ctx.now);
      const { kid } = await registerEncryptionKey(deps, tenantOf(ctx), publicKey, by(ctx));
      return redirect(here(ctx, PATH), `Codes are sealed to the key ${kid} from now on.`);
    },
    again: async (state, ctx) => renderKeys(await load(ctx), state, ctx),
  });
  face.action({
    path: `${PATH}/remove`,
    permission: "encryption.manage",
    form: removeForm,
    does: async (_values, ctx) => {
      await rehearse(deps, (trial) => removeEncryptionKey(trial, tenantOf(ctx), by(ctx)));
      return `Seal ${environmentOf(ctx)} codes no longer. Codes that are sealed stay sealed.`;
    },
    async run(_values, ctx) {
      requireFreshProof(ctx.session.account, ctx.now);
      await removeEncryptionKey(deps, tenantOf(ctx), by(ctx));
      return redirect(here(ctx, PATH), "Codes are no longer sealed. Codes that were sealed stay sealed.");
    },
    again: async (_state, ctx) => renderKeys(await load(ctx), registerForm.start({ publicKey: "" }), ctx),
  });
}

const renderKeys = (
  keys: readonly EncryptionKeyRow[],
  state: FormState,
  ctx: DashboardContext,
): PageContent => {
  const current = keys.find(({ retiredAt }) => retiredAt === null);
  return {
    title: "Encryption",
    subtitle: `Seal ${environmentOf(ctx)} codes to a key that only you have.`,
    body: columns(
      html`${panel(
        { title: current ? "Replace the key" : "Register a key" },
        html`${notice("warn", "Keep the private key safe", "Only your private key opens sealed codes. If you lose it, they are lost: neither you nor the operator can read them.")}${registerForm.render({ action: here(ctx, PATH), hidden: ctx.hidden(), state, submit: "Register key" })}`,
      )}${earlierKeys(keys.filter(({ retiredAt }) => retiredAt !== null))}`,
      panel({ title: "Current key" }, current ? currentKey(current, ctx) : noKey()),
    ),
  };
};

const noKey = () =>
  emptyState("No key", "Codes are kept encrypted by Scrip, and people with the right role can reveal them.");

const currentKey = ({ kid, registeredAt }: EncryptionKeyRow, ctx: DashboardContext) =>
  html`${facts([
    ["Key id", idText(kid)],
    ["Registered", time(registeredAt, ctx.now)],
  ])}${removeForm.render({
    action: here(ctx, `${PATH}/remove`),
    hidden: ctx.hidden(),
    state: removeForm.start({}),
    submit: "Remove key",
  })}`;

const earlierKeys = (keys: readonly EncryptionKeyRow[]) =>
  keys.length === 0
    ? undefined
    : tablePanel({
        title: "Earlier keys",
        caption: "Earlier keys",
        aside: "Codes that were sealed to them open with their private keys.",
        rows: keys,
        columns: [
          { head: "Key id", cell: ({ kid }: EncryptionKeyRow) => html`<span class="id">${kid}</span>` },
          {
            head: "Used until",
            cell: ({ retiredAt }: EncryptionKeyRow) => retiredAt && dateText(retiredAt),
          },
        ],
        empty: emptyState("None", "There are no earlier keys."),
      });
