import { scripDialect } from "./scrip-dialect.ts";
import { spoilReply } from "./spoil-reply.ts";
import type { Call, Dialect, Reply } from "./upstream-dialect.ts";
import type { Course, Plan } from "./upstream-faults.ts";
import {
  createLedger,
  type Demand,
  type Ledger,
  type LedgerOptions,
  type Purchase,
  strangerTo,
  toPurchase,
} from "./upstream-ledger.ts";
import { FAULTY_CALLS_MAX, type PlanOptions, planUnit, type UnitDraw } from "./upstream-plan.ts";
import { honest, type Mishap, type Step, type Verb } from "./upstream-steps.ts";

/** A recorded call, and what was done to it. */
export type CallRecord = {
  verb: Verb;
  reference: string | undefined;
  account: string | undefined;
  /** The number of this call under its reference, of any kind, from 1. */
  number: number;
  mishap: Mishap;
  heard: boolean;
  status: number;
};

export type Answer = { reply: Reply; step: Step };

export type Desk = {
  ledger: Ledger;
  calls: CallRecord[];
  answer(call: Call): Answer;
  heal(): void;
  /** The requested units, each with its plan. */
  plans(): { draw: UnitDraw; plan: Plan }[];
};

export type DeskOptions = LedgerOptions &
  Omit<PlanOptions, "faults"> & {
    /** How often each kind of fault is drawn, or a plan for each unit. */
    faults?: PlanOptions["faults"] | ((unit: UnitDraw) => Plan);
    /** How long a purchase is not in the list yet. */
    lagMs?: number;
    /** Whether the list comes back empty now. */
    areBooksEmpty?: () => boolean;
    /** Calls back when the request that was held back has been on its way for as long as possible. */
    scheduleLanding(land: () => void): void;
    /** How the supplier speaks. Like a Scrip, unless told otherwise. */
    dialect?: Dialect;
  };

/** Decides the response to a call: the truth of the ledger, changed according to the unit's plan. */
export function createDesk(options: DeskOptions): Desk {
  const room: Room = {
    options,
    dialect: options.dialect ?? scripDialect(""),
    ledger: createLedger(options),
    files: new Map(),
    strangers: new Map(),
    healed: false,
  };
  const calls: CallRecord[] = [];
  return {
    ledger: room.ledger,
    calls,
    answer(call) {
      const file = fileOf(room, call);
      const { reply, step } = file
        ? answerFor(room, file, call)
        : { reply: tellTruth(room, call), step: honest };
      const { reference, account } = file?.demand ?? {};
      const { mishap, heard } = step;
      calls.push({
        verb: call.verb,
        reference,
        account,
        number: file?.calls ?? 0,
        mishap,
        heard,
        status: reply.status,
      });
      return { reply, step };
    },
    heal() {
      room.healed = true;
      for (const file of room.files.values()) land(room, file);
      for (const purchase of room.ledger.list()) room.ledger.finish(purchase);
    },
    plans: () => [...room.files.values()].map(({ demand, plan }) => ({ draw: demand, plan })),
  };
}

type Room = {
  options: DeskOptions;
  dialect: Dialect;
  ledger: Ledger;
  files: Map<string, File>;
  /** Orders of others that were returned by mistake, by id. They can be read like any other. */
  strangers: Map<string, Purchase>;
  healed: boolean;
};

/** What is known under one reference. */
type File = {
  demand: Demand;
  plan: Plan;
  calls: number;
  callsOf: Record<Verb, number>;
  /** A request on its way, and how often it was looked up without success. */
  held?: { demand: Demand; looks: number } | undefined;
};

/** What a request is sold as after the upstream has healed. */
const HEALED = { stages: ["pending", "completed"] } as const satisfies Course;

/** A placement opens a file. There is none for what was never requested. */
function fileOf({ options, ledger, files }: Room, call: Call): File | undefined {
  if (call.verb === "list") return files.get(call.reference);
  if (call.verb !== "place") return files.get(ledger.findById(call.orderId)?.reference ?? "");
  const { demand } = call;
  const file = files.get(demand.reference) ?? {
    demand,
    plan: planFor(options, demand),
    calls: 0,
    callsOf: { place: 0, list: 0, read: 0, codes: 0 },
  };
  files.set(demand.reference, file);
  return file;
}

function planFor({ seed, faults, dialect: _, ...options }: DeskOptions, demand: Demand): Plan {
  if (typeof faults === "function") return faults(demand);
  return planUnit(seed, demand, faults ? { ...options, faults } : options);
}

function answerFor(room: Room, file: File, call: Call): Answer {
  const { seed } = room.options;
  const step = nextStep(room, file, call.verb);
  if (call.verb === "place" && step.mishap === "hold") hold(room, file, call.demand);
  const truth = step.heard
    ? tellTruth(room, call, file)
    : room.dialect.placed(toPurchase(seed, file.demand, HEALED), false);
  const stranger = strangerTo(seed, file.demand);
  room.strangers.set(stranger.orderId, stranger);
  const reply = spoilReply(room.dialect, call.verb, truth, step, stranger);
  // Only now, so that this response does not include it yet.
  if (hasWaitedEnough(file, call.verb, step)) land(room, file);
  return { reply, step };
}

function nextStep(room: Room, file: File, verb: Verb): Step {
  file.calls += 1;
  file.callsOf[verb] += 1;
  const { forever = false } = file.plan;
  if (room.healed || (!forever && file.calls > (room.options.faultyCallsMax ?? FAULTY_CALLS_MAX))) {
    land(room, file);
    return honest;
  }
  const planned = file.plan.steps[verb] ?? [];
  const step = planned[file.callsOf[verb] - 1] ?? (forever ? planned.at(-1) : undefined) ?? honest;
  return step.mishap === "refuse" && room.ledger.find(file.demand.reference) ? honest : step;
}

function hold(room: Room, file: File, demand: Demand): void {
  file.held ??= { demand, looks: 0 };
  room.options.scheduleLanding(() => land(room, file));
}

/** If it was sent again in the meantime it is already bought, and stays one purchase. */
function land(room: Room, file: File): void {
  if (file.held) room.ledger.place(file.held.demand, courseOf(room, file));
  file.held = undefined;
}

const courseOf = ({ healed }: Room, file: File | undefined): Course =>
  healed || !file ? HEALED : file.plan.course;

/** A request on its way lands after enough unsuccessful lookups, or after a later one was refused. */
function hasWaitedEnough({ held, plan }: File, verb: Verb, { mishap }: Step): boolean {
  if (!held) return false;
  if (verb === "list") held.looks += 1;
  return mishap === "refuse" || (plan.landsAfterLooks !== undefined && held.looks >= plan.landsAfterLooks);
}

function tellTruth(room: Room, call: Call, file?: File): Reply {
  const { ledger, strangers, dialect } = room;
  if (call.verb === "place") return tellPlacement(room, call.demand, courseOf(room, file));
  if (call.verb === "list") {
    const purchases = shownOf(room, call.reference);
    for (const purchase of purchases) ledger.poll(purchase);
    return dialect.listed(purchases);
  }
  const purchase = ledger.findById(call.orderId) ?? strangers.get(call.orderId);
  if (!purchase) return dialect.missing(call.verb);
  if (call.verb === "codes") return dialect.codes(purchase);
  ledger.poll(purchase);
  return dialect.read(purchase);
}

/** What the books show under a reference: nothing while they are empty, and each purchase only after the lag. */
function shownOf({ options, ledger }: Room, reference: string): Purchase[] {
  const { lagMs = 0, now = () => new Date(), areBooksEmpty = () => false } = options;
  if (areBooksEmpty()) return [];
  return ledger.findAll(reference).filter(({ createdAt }) => now().getTime() - createdAt.getTime() >= lagMs);
}

function tellPlacement({ ledger, dialect }: Room, demand: Demand, course: Course): Reply {
  const placement = ledger.place(demand, course);
  switch (placement.kind) {
    case "placed":
    case "replayed":
      return dialect.placed(placement.purchase, placement.kind === "replayed");
    case "conflict":
      return dialect.conflict();
    case "refused":
      return dialect.refused(placement.refusal);
  }
}
