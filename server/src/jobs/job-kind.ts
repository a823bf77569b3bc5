import type { Db, Tx } from "../db/database.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import type { AmountLimits } from "../lib/money.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";

/** What jobs work with. */
export type JobDeps = {
  db: Db;
  clock: Clock;
  keyring: Keyring;
  codeVault: CodeVault;
  secrets: Pick<ServerSecrets, "codeDigestKey">;
  /** Above these amounts a movement of money takes two people. Undefined takes one for all. */
  dualControl: AmountLimits | undefined;
  /** Wakes those who send deliveries. */
  announceDeliveries: () => void;
};

/** Text and numbers that a person chose. Never a secret. */
export type JobParams = Readonly<Record<string, string | number | boolean | null>>;
/** What a job tells when it has ended: counts and the like. */
export type JobResult = Readonly<Record<string, unknown>>;
/** Where the next run goes on. */
export type JobStep = Readonly<Record<string, string | number>>;

/** A job while it runs. Everything that it writes, it writes only while its lease is its own. */
export type RunningJob = {
  id: string;
  params: JobParams;
  step: JobStep;
  actor: Actor;
  /** The file that came with the job, in plain. */
  input(): AsyncGenerator<Uint8Array>;
  /** The size of that file. */
  inputBytes: number;
  /** Reports progress; written at most once a second. Throws when the job is to stop. */
  advance(done: number, total?: number): void;
  /** Writes a step in the caller's transaction: both happen or neither does. The part is the next one of the result. */
  checkpoint(tx: Tx, step: { step: JobStep; done: number; total?: number; part?: string }): Promise<void>;
  /** Ends the job in the caller's transaction. `part` is the last part of the result. */
  succeed(tx: Tx, result: JobResult, part?: string): Promise<void>;
  /** Shows what the job would do, and waits for a person. `part` is a file beside it, such as the list of refused rows. */
  askToConfirm(tx: Tx, result: JobResult, part?: string): Promise<void>;
};

export type JobKind = {
  /** What people read, such as "Import of stock". */
  title: string;
  /** What a file of its result is called. */
  resultFile?: string;
  run(deps: JobDeps, job: RunningJob): Promise<void>;
};

/** A job cannot succeed, however often it is tried. The message is for the person who asked. */
export class JobFailed extends Error {
  readonly result: JobResult | undefined;
  /** A file about the failure, such as the list of refused rows. */
  readonly part: string | undefined;

  constructor(message: string, details: { result?: JobResult; part?: string } = {}) {
    super(message);
    this.name = "JobFailed";
    this.result = details.result;
    this.part = details.part;
  }
}

/** Someone asked for the end of the job. */
export class JobCancelled extends Error {}
/** The lease has passed to another worker, or this process stops. */
export class JobReleased extends Error {}
