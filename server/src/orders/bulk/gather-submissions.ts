import type { Placement } from "../placing/decide-placements.ts";
import type { BatchDecision, SubmitGroup, SubmitPlacement } from "../placing/placement-batch.ts";

export type Gathering = {
  /** How a member submits its placement, also when it does so again. */
  submitAs(member: number): SubmitPlacement;
  /** The member has its answer and submits nothing more. */
  leave(member: number): void;
};

type Waiting = {
  placement: Placement;
  resolve: (decision: BatchDecision) => void;
  reject: (error: unknown) => void;
};

/**
 * Lets members that are priced at the same time submit as one group, in their order: the group is sent when every member
 * that has no answer yet has submitted.
 */
export function gatherSubmissions(size: number, submitGroup: SubmitGroup): Gathering {
  const present = new Set(Array.from({ length: size }, (_, member) => member));
  const waiting = new Map<number, Waiting>();

  const sendIfComplete = async (): Promise<void> => {
    if (waiting.size === 0 || waiting.size < present.size) return;
    const group = [...waiting].sort(([a], [b]) => a - b).map(([, one]) => one);
    waiting.clear();
    try {
      const decisions = await submitGroup(group.map(({ placement }) => placement));
      for (const [index, one] of group.entries()) one.resolve(decisions[index] ?? { kind: "busy" });
    } catch (error) {
      for (const one of group) one.reject(error);
    }
  };

  return {
    submitAs: (member) => (placement) =>
      new Promise((resolve, reject) => {
        waiting.set(member, { placement, resolve, reject });
        void sendIfComplete();
      }),
    leave(member) {
      present.delete(member);
      waiting.delete(member);
      void sendIfComplete();
    },
  };
}
