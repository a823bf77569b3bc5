import { namePeople } from "../../accounts/people/name-people.ts";
import { acknowledgeAlert } from "../../alerts/acknowledge-alert.ts";
import { chooseAlertLetters } from "../../alerts/choose-letters.ts";
import { listAlerts } from "../../alerts/list-alerts.ts";
import { isReader } from "../../alerts/queries.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { sayRefusal } from "../say-refusal.ts";
import { actorOf, byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { guidePages } from "./guide-page.ts";
import { type AlertsData, renderAlerts } from "./render-alerts.ts";

const lettersForm = defineForm({
  send: radioField({
    label: "Mail",
    choices: [
      { value: "yes", label: "Yes" },
      { value: "no", label: "No" },
    ],
  }),
});

/** What needs a person now. */
export function alertPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/alerts",
    permission: "alerts.read",
    load: (ctx) => loadAlerts(deps, ctx),
    render: (data, ctx) => renderAlerts(data, ctx),
  });
  face.action({
    path: "/alerts/:id/ack",
    permission: "alerts.acknowledge",
    form: defineForm({}),
    run: async (_values, ctx) => {
      const by = { ...byOf(ctx), actor: actorOf(ctx) };
      await sayRefusal(acknowledgeAlert(deps, ctx.params.id ?? "", by));
      return redirect("/alerts", "You have taken this alert on. It ends when its condition ends.");
    },
    again: async (state, ctx) => renderAlerts(await loadAlerts(deps, ctx), ctx, state.formError),
  });
  face.action({
    path: "/alerts/letters",
    permission: "alerts.read",
    form: lettersForm,
    run: async ({ send }, ctx) => {
      await chooseAlertLetters(deps, ctx.session.account.accountId, send === "yes", byOf(ctx));
      return redirect(
        "/alerts",
        send === "yes" ? "New alerts are mailed to you." : "New alerts are no longer mailed to you.",
      );
    },
    again: async (state, ctx) => renderAlerts(await loadAlerts(deps, ctx), ctx, state.formError),
  });
  guidePages(face);
}

async function loadAlerts({ db, clock, sendsMail }: ConsoleDeps, ctx: ConsoleContext): Promise<AlertsData> {
  const alerts = await listAlerts(db, clock.now());
  const people = [...alerts.open, ...alerts.resolved].flatMap(({ acknowledgedId }) => acknowledgedId ?? []);
  return {
    ...alerts,
    emails: await namePeople(db, { kind: "staff" }, people),
    getsLetters: await isReader(db, ctx.session.account.accountId),
    sendsMail,
  };
}
