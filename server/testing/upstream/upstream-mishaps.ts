import type { ContentMishap, Reply } from "./upstream-dialect.ts";
import type { Purchase } from "./upstream-ledger.ts";
import { codesReply, codeView, notFulfilledReply, orderReply, pageReply } from "./upstream-replies.ts";
import type { Verb } from "./upstream-steps.ts";

/** A reply of a Scrip with impossible or untrue content. */
export function spoilScripReply(
  verb: Verb,
  truth: Reply,
  mishap: ContentMishap,
  variant: number,
  stranger: Purchase,
): Reply {
  switch (mishap) {
    case "wrong-shape":
      return { ...truth, text: JSON.stringify(wrongShape(verb, JSON.parse(truth.text), variant)) };
    case "other-order":
      return otherOrder(verb, truth, stranger);
    case "banana":
      return withStatus(truth, "banana");
    case "early":
      return withStatus(truth, "completed", 1);
    case "back":
      return withStatus(truth, "processing", 0);
    case "not-fulfilled":
      return notFulfilledReply("processing");
    case "odd-characters":
      return truth;
    case "empty-codes":
      return change(truth, (body) => ({ ...body, data: [] }));
    case "extra-code":
      return change(truth, (body) => ({ ...body, data: [...(body.data as unknown[]), codeView(stranger)] }));
  }
}

type Members = Record<string, unknown>;

const change = (reply: Reply, edit: (body: Members) => unknown): Reply => ({
  ...reply,
  text: JSON.stringify(edit(JSON.parse(reply.text))),
});

/** Edits the subject of the response: its order, or the first of its page. */
const changeFirst = (body: Members, edit: (first: Members) => unknown): Members => {
  if ("order" in body) return { ...body, order: edit(body.order as Members) };
  const [first, ...others] = body.data as Members[];
  return first ? { ...body, data: [edit(first), ...others] } : body;
};

const withStatus = (reply: Reply, status: string, fulfilledQuantity?: number): Reply =>
  change(reply, (body) =>
    changeFirst(body, (order) => ({
      ...order,
      status,
      ...(order.lines && fulfilledQuantity !== undefined
        ? { lines: (order.lines as Members[]).map((line) => ({ ...line, fulfilledQuantity })) }
        : {}),
    })),
  );

function otherOrder(verb: Verb, truth: Reply, stranger: Purchase): Reply {
  switch (verb) {
    case "place":
      return change(truth, (body) => ({ order: { ...(body.order as Members), id: stranger.orderId } }));
    case "list":
      return pageReply([stranger]);
    case "read":
      return orderReply(stranger);
    case "codes":
      return codesReply(stranger);
  }
}

function wrongShape(verb: Verb, body: Members, variant: number): unknown {
  const member = verb === "codes" ? codeMember(body) : "id";
  const shapes: (() => unknown)[] = [
    () => null,
    () => [],
    () => ({}),
    () => "ok",
    () => ("order" in body ? { order: "ok" } : { ...body, data: null }),
    () => ("order" in body ? body.order : body.data),
    () => changeFirst(body, () => null),
    () => changeFirst(body, (first) => [first]),
    () => changeFirst(body, (first) => ({ ...first, [member]: 42 })),
    () => changeFirst(body, (first) => ({ ...first, [member]: "" })),
    () => changeFirst(body, ({ [member]: _left, ...others }) => others),
  ];
  return shapes[variant % shapes.length]?.();
}

/** The name of the code member depends on its type. */
function codeMember({ data }: Members): string {
  const [first = {}] = data as Members[];
  return ["code", "url", "receipt"].find((member) => member in first) ?? "code";
}
