import type { Command } from "commander";
import { findAccount, type Team, teamOf } from "../../accounts/account-queries.ts";
import { removePerson } from "../../accounts/people/change-person.ts";
import { type Invited, invitePerson } from "../../accounts/people/invite-person.ts";
import { listAllUsers, listPeople, type Person } from "../../accounts/people/list-people.ts";
import { resetFactor } from "../../accounts/people/reset-factor.ts";
import { type AccountKind, faceOf, rolesOf } from "../../accounts/permissions.ts";
import type { By } from "../../activity/record-activity.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { openCommandAccounts } from "../open-accounts.ts";
import type { Context } from "../open-context.ts";
import { showTime } from "../output/format.ts";
import { table } from "../output/table.ts";
import { type Options, required, tellWarning, text, verb } from "../verb.ts";

/** Commands are run by the operator. */
const BY: By = { actor: { kind: "command", id: "scrip" } };
const LIST_MAX = 10_000;

export function userCommands(program: Command): void {
  const user = program.command("user").description("people of resellers, who sign in to the dashboard");
  inviteCommand(user, "user");
  verb(
    user
      .command("list")
      .description("people of resellers, those who were invited included")
      .option("--reseller <id>", "only this reseller's"),
    async ({ db }, options) => ({ data: (await listUsers(db, text(options, "reseller"))).map(toView) }),
    ({ data }) => showPeople(data, "No people yet. Invite one: scrip user invite --help"),
  );
  changeCommands(user, "user");
}

export function staffCommands(program: Command): void {
  const staff = program.command("staff").description("the operator's staff, who sign in to the console");
  inviteCommand(staff, "staff");
  verb(
    staff.command("list").description("the staff, those who were invited included"),
    async ({ db }) => ({ data: (await listPeople(db, { kind: "staff" })).map(toView) }),
    ({ data }) => showPeople(data, "No staff yet. Invite the first: scrip staff invite --help"),
  );
  changeCommands(staff, "staff");
}

function inviteCommand(group: Command, kind: AccountKind): void {
  const command = group
    .command("invite")
    .description("invite a person; the link is shown this once, works once and for 72 hours")
    .requiredOption("--email <address>", "whom to invite")
    .requiredOption("--role <role>", rolesOf(kind).join(", "))
    .option("--name <name>", "what the person is called");
  if (kind === "user") command.requiredOption("--reseller <id>", "whose team");
  verb(
    command,
    async (context, options) => {
      const input = {
        email: required(options, "email"),
        role: required(options, "role"),
        name: text(options, "name"),
      };
      return inviteByCommand(context, await teamFor(context, kind, options), input, options);
    },
    showInvited,
  );
}

/** `note` is for people: a document has no place for it. */
export type InvitedByCommand = Invited & { note?: string };

/** Invites a person, and says so if the address in the link is a guess. */
export async function inviteByCommand(
  context: Context,
  team: Team,
  input: Parameters<typeof invitePerson>[2],
  options: Options,
): Promise<InvitedByCommand> {
  const accounts = await openCommandAccounts(context);
  const invited = await invitePerson(accounts, team, input, BY);
  const face = faceOf(team.kind);
  if (!accounts.guessed.includes(face)) return invited;
  const note =
    `No server has run on this database yet, so the address ${accounts.urls[face]} in the link is a guess. ` +
    `If it is wrong, set ${face === "console" ? "CONSOLE_URL" : "PUBLIC_URL"} and invite again.`;
  if (options.json !== true) return { ...invited, note };
  tellWarning(note);
  return invited;
}

export const showInvited = ({ id, email, role, link, note }: InvitedByCommand): string =>
  `${link}\n\n${email} is invited as ${role} (${id}). Send them this link: it is shown this once.${note === undefined ? "" : `\n${note}`}`;

/** A reseller that does not exist gets the sentence that all commands have for it. */
async function teamFor({ db }: Context, kind: AccountKind, options: Options): Promise<Team> {
  if (kind === "staff") return { kind };
  return { kind, resellerId: (await getReseller(db, required(options, "reseller"))).id };
}

function changeCommands(group: Command, kind: AccountKind): void {
  verb(
    group.command("remove").description("remove a person: signed out everywhere at once").argument("<id>"),
    async (context, _options, [id = ""]) => {
      const person = await removePerson(
        await openCommandAccounts(context),
        await teamWith(context, kind, id),
        id,
        BY,
      );
      return { id, email: person.email, role: person.role };
    },
    ({ id, email }) => `removed ${id} (${email})`,
  );

  verb(
    group
      .command("reset-factor")
      .description("remove authenticator app, passkeys and recovery codes of a person who has lost them")
      .argument("<id>"),
    async (context, _options, [id = ""]) => {
      const person = await resetFactor(
        await openCommandAccounts(context),
        await teamWith(context, kind, id),
        id,
        BY,
      );
      return { id, email: person.email, role: person.role };
    },
    ({ id, email }) =>
      kind === "staff"
        ? `${id} (${email}) signs in with the password and must add a new factor before anything else`
        : `${id} (${email}) signs in with the password alone until a new factor is added`,
  );
}

/** The operator knows a person by id alone; the team follows from it. */
async function teamWith({ db }: Context, kind: AccountKind, id: string): Promise<Team> {
  const account = await findAccount(db, id);
  if (account?.kind !== kind || account.removedAt)
    throw new RangeError(
      `there is no ${kind === "user" ? "user" : "member of the staff"} ${id}; see: scrip ${kind} list`,
    );
  return teamOf(account);
}

const listUsers = (db: Context["db"], resellerId: string | undefined): Promise<Person[]> =>
  resellerId === undefined ? listAllUsers(db, LIST_MAX) : listPeople(db, { kind: "user", resellerId });

type PersonView = ReturnType<typeof toView>;

const showPeople = (data: readonly PersonView[], whenEmpty: string): string => {
  const hasResellers = data.some(({ resellerId }) => resellerId !== undefined);
  return data.length === 0
    ? whenEmpty
    : table(
        [
          "ID",
          { heading: "EMAIL", cut: true },
          "ROLE",
          "STATE",
          { heading: "FACTOR", optional: true },
          { heading: "LAST SEEN (UTC)", optional: true },
          { heading: "NAME", cut: true, optional: true },
          ...(hasResellers ? [{ heading: "RESELLER", optional: true as const }] : []),
        ],
        data.map((row) => [
          row.id,
          row.email,
          row.role,
          row.state === "active" ? { text: "active", style: "green" } : { text: "invited", style: "dim" },
          row.factors.join(", "),
          row.lastSeenAt === undefined ? "never" : showTime(row.lastSeenAt),
          row.name,
          ...(hasResellers ? [row.resellerId ?? ""] : []),
        ]),
      );
};

const toView = (person: Person) => ({
  id: person.id,
  ...(person.resellerId === null ? {} : { resellerId: person.resellerId }),
  email: person.email,
  name: person.name,
  role: person.role,
  state: person.state,
  factors: [...(person.hasTotp ? ["app"] : []), ...(person.passkeys > 0 ? ["passkey"] : [])],
  createdAt: person.createdAt.toISOString(),
  ...(person.lastSeenAt ? { lastSeenAt: person.lastSeenAt.toISOString() } : {}),
});
