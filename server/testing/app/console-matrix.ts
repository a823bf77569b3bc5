import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { StaffRole } from "../../src/accounts/permissions.ts";
import { requestDeposit } from "../../src/deposits/request-deposit.ts";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { requestMovement } from "../../src/wallet/proposals/request-movement.ts";
import { addBuyer, addCard, postOrder } from "../builders/buyers.ts";
import type { openConsoleDesk } from "../people/console-desk.ts";
import { COMMAND, STAFF_TEAM } from "../people/people-desk.ts";
import { GOODS_MATRIX, type GoodsFixtures, makeGoodsFixtures } from "./console-goods-matrix.ts";

/** The objects that pages are about. A section with objects adds its own here and makes them in `makeConsoleFixtures`. */
export type ConsoleFixtures = GoodsFixtures & {
  resellerId: string;
  personId: string;
  proposalId: string;
  depositId: string;
  orderId: string;
};

export type ConsoleRow = {
  /** Who may: `public` without a session, `all` with any, else the roles. */
  roles: "public" | "all" | readonly StaffRole[];
  /** The ids in the address, by their names. */
  ids?: (fixtures: ConsoleFixtures) => Readonly<Record<string, string>>;
  /** Fields that the verb refuses or that change nothing that other rows need. */
  fields?: Readonly<Record<string, string>>;
  /** The form ends the session that sends it, so it is not sent for each role. */
  endsSession?: boolean;
};

const ORDER_MANAGERS = ["admin", "support"] as const;
const ADMIN = ["admin"] as const;
const person = ({ personId }: ConsoleFixtures) => ({ id: personId });
const FINANCE = ["admin", "finance"] as const;
const reseller = ({ resellerId }: ConsoleFixtures) => ({ id: resellerId });
const deposit = ({ depositId }: ConsoleFixtures) => ({ id: depositId });
const proposal = ({ proposalId }: ConsoleFixtures) => ({ id: proposalId });

const VIEW_ROW: ConsoleRow = {
  roles: ["admin", "finance", "support"],
  ids: ({ resellerId }) => ({ resellerId, id: "missing" }),
};

/** The pages of the dashboard that staff can view. */
export const VIEWED: readonly string[] = [
  ...["", "/catalog", "/catalog.csv", "/catalog/:id", "/catalog/:id/try"],
  ...["/orders", "/orders.csv", "/orders/:id", "/orders/:id/reveal", "/orders/:id/codes.csv"],
  ...["/wallet", "/wallet/statement", "/deposits", "/deposits/:id", "/keys", "/keys/:id"],
  ...["/webhooks", "/webhooks/:id", "/webhooks/:id/recovery", "/deliveries/:id"],
  ...["/requests", "/requests/:id", "/events", "/events/:id"],
  ...["/team", "/activity", "/activity.csv"],
];

/** Every page and form of the console. The test fails for one that is not here. */
export const CONSOLE_MATRIX: Readonly<Record<string, ConsoleRow>> = {
  // sign-in
  "GET /sign-in": { roles: "public" },
  "POST /sign-in": { roles: "public" },
  "POST /sign-in/passkey-options": { roles: "public" },
  "POST /sign-in/passkey": { roles: "public" },
  "POST /sign-in/code": { roles: "public" },
  "GET /accept": { roles: "public" },
  "POST /accept": { roles: "public" },
  "GET /reset": { roles: "public" },
  "POST /reset": { roles: "public" },
  "POST /reset/request": { roles: "public" },
  "GET /enter": { roles: "public" },
  "POST /theme": { roles: "public" },
  "GET /confirm": { roles: "all" },
  "POST /confirm": { roles: "all" },
  "POST /confirm/passkey-options": { roles: "all" },
  "POST /confirm/passkey": { roles: "all" },
  "GET /add-factor": { roles: "all" },
  "POST /sign-out": { roles: "all", endsSession: true },
  // security
  "GET /security": { roles: "all" },
  "POST /security/sessions/end": { roles: "all" },
  "GET /security/password": { roles: "all" },
  "POST /security/password": { roles: "all" },
  "GET /security/totp": { roles: "all" },
  "POST /security/totp": { roles: "all" },
  "POST /security/totp/confirm": { roles: "all" },
  "POST /security/totp/remove": { roles: "all", endsSession: true },
  "POST /security/recovery-codes": { roles: "all" },
  "GET /security/passkey": { roles: "all" },
  "POST /security/passkey/options": { roles: "all" },
  "POST /security/passkey": { roles: "all" },
  "POST /security/passkey/remove": { roles: "all" },
  // overview
  "GET /": { roles: "all" },
  // orders: a form without what its page said, or about no order, changes nothing
  "GET /orders": { roles: "all" },
  "GET /orders.csv": { roles: "all" },
  "GET /orders/:id": { roles: "all", ids: ({ orderId }) => ({ id: orderId }) },
  "GET /orders/:id/enter-code": { roles: ORDER_MANAGERS, ids: ({ orderId }) => ({ id: orderId }) },
  "POST /orders/:id/enter-code": {
    roles: ORDER_MANAGERS,
    ids: ({ orderId }) => ({ id: orderId }),
    fields: { unit: "0.0", code: "NO-SUCH-UNIT" },
  },
  "GET /orders/:id/:action": {
    roles: ORDER_MANAGERS,
    ids: ({ orderId }) => ({ id: orderId, action: "hold" }),
  },
  "POST /orders/:id/:action": {
    roles: ORDER_MANAGERS,
    ids: ({ orderId }) => ({ id: orderId, action: "refund" }),
  },
  "GET /unknown": { roles: "all" },
  "POST /unknown/look-up": { roles: ORDER_MANAGERS },
  "GET /stuck": { roles: "all" },
  "POST /stuck/review": { roles: ORDER_MANAGERS },
  "POST /stuck/apply": { roles: ORDER_MANAGERS },
  // staff
  "GET /staff": { roles: "all" },
  "POST /staff": { roles: ADMIN },
  "GET /staff/:id": { roles: ADMIN, ids: person },
  "POST /staff/:id/role": { roles: ADMIN, ids: person, fields: { role: "viewer" } },
  "POST /staff/:id/reset-factor": { roles: ADMIN, ids: person },
  "POST /staff/:id/invite": { roles: ADMIN, ids: person },
  "POST /staff/:id/remove": { roles: ADMIN, ids: person },
  // search
  "GET /search": { roles: "all" },
  "POST /search/code": { roles: ["admin", "support"], fields: { code: "NOT-A-CODE" } },
  // system
  "GET /system": { roles: "all" },
  "POST /system/audit": { roles: ADMIN },
  ...GOODS_MATRIX,
  // resellers
  "GET /resellers": { roles: "all" },
  "POST /resellers": { roles: ADMIN },
  "GET /resellers/new": { roles: ADMIN },
  "GET /resellers/:id": { roles: "all", ids: reseller },
  "GET /resellers/:id/edit": { roles: ADMIN, ids: reseller },
  "POST /resellers/:id/edit": { roles: ADMIN, ids: reseller },
  "GET /resellers/:id/invite": { roles: ADMIN, ids: reseller },
  "POST /resellers/:id/invite": { roles: ADMIN, ids: reseller },
  "GET /resellers/:id/freeze": { roles: ADMIN, ids: reseller },
  "POST /resellers/:id/freeze": { roles: ADMIN, ids: reseller },
  "GET /resellers/:id/unfreeze": { roles: ADMIN, ids: reseller },
  "POST /resellers/:id/unfreeze": { roles: ADMIN, ids: reseller },
  "GET /resellers/:id/endpoints/:endpoint/enable": { roles: ORDER_MANAGERS, ids: reseller },
  "POST /resellers/:id/endpoints/:endpoint/enable": { roles: ORDER_MANAGERS, ids: reseller },
  "GET /resellers/:id/keys/:key/unfreeze": { roles: ADMIN, ids: reseller },
  "POST /resellers/:id/keys/:key/unfreeze": { roles: ADMIN, ids: reseller },
  // money
  "GET /money": { roles: "all" },
  "GET /money.csv": { roles: "all" },
  "GET /money/new": { roles: FINANCE },
  "POST /money/review": { roles: FINANCE },
  "POST /money/movements": { roles: FINANCE },
  "GET /money/proposals": { roles: "all" },
  "GET /money/proposals/:id": { roles: "all", ids: proposal },
  "POST /money/proposals/:id/approve": { roles: FINANCE, ids: proposal },
  "POST /money/proposals/:id/reject": { roles: FINANCE, ids: proposal },
  "POST /money/proposals/:id/withdraw": { roles: FINANCE, ids: proposal },
  // deposits
  "GET /deposits": { roles: "all" },
  "GET /deposits/import": { roles: FINANCE },
  "GET /deposits/import/template": { roles: FINANCE },
  "POST /deposits/import": { roles: FINANCE },
  "GET /deposits/:id": { roles: "all", ids: deposit },
  "POST /deposits/:id/receive": { roles: FINANCE, ids: deposit, fields: { amount: "x" } },
  "POST /deposits/:id/credit": { roles: FINANCE, ids: deposit },
  "POST /deposits/:id/reject": { roles: FINANCE, ids: deposit },
  // the view of a reseller's dashboard, which has no forms
  ...Object.fromEntries(VIEWED.map((path) => [`GET /view/:resellerId${path}`, VIEW_ROW])),
  // reports
  "GET /reports": { roles: "all" },
  "GET /reports/:name": { roles: "all", ids: () => ({ name: "margin" }) },
  "GET /reports/:name/report.csv": { roles: "all", ids: () => ({ name: "sales" }) },
  "GET /reports/lost": { roles: "all" },
  "GET /reports/lost/report.csv": { roles: "all" },
  // activity
  "GET /activity": { roles: "all" },
  "GET /activity.csv": { roles: "all" },
};

type Desk = Awaited<ReturnType<typeof openConsoleDesk>>;

/** Makes the objects that the rows are about, each by its verb. */
export async function makeConsoleFixtures(desk: Desk): Promise<ConsoleFixtures> {
  await addCard(desk.db);
  const buyer = await addBuyer(desk, "10.00");
  const placed = await postOrder(desk, buyer, "order of the matrix");
  const input = { email: "invited@scrip.example", role: "viewer" };
  const { id: personId } = await invitePerson(desk.accounts, STAFF_TEAM, input, COMMAND);
  const { resellerId } = buyer;
  const proposalId = await addProposal(desk, resellerId);
  return {
    ...(await makeGoodsFixtures(desk)),
    resellerId,
    orderId: placed.json().order.id,
    personId,
    proposalId,
    depositId: (await requestDeposit(desk, buyer, { amountMinor: 100n }, COMMAND)).deposit.id,
  };
}

async function addProposal(desk: Desk, resellerId: string): Promise<string> {
  const { accountId } = await desk.enter("finance");
  const made = await requestMovement(
    { db: desk.db, clock: desk.clock, dualControl: parseAmountLimits("0") },
    { resellerId, environment: "live" },
    { direction: "credit", amount: "1.00", note: "n" },
    { actor: { kind: "staff", id: accountId } },
  );
  if (!("proposed" in made)) throw new Error("the movement was not proposed");
  return made.proposed.id;
}
