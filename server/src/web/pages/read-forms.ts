import type { FastifyInstance } from "fastify";
import { Problem } from "../../lib/problem.ts";
import { FORM_MAX_BYTES, parseFormBody } from "../form/parse-form-body.ts";

/** Bodies of pages are forms of text and nothing else. A file gets an answer that says so, and is not read. */
export function readForms(child: FastifyInstance): void {
  child.removeAllContentTypeParsers();
  child.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: FORM_MAX_BYTES },
    (_request, body, done) => {
      try {
        done(null, parseFormBody(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  child.addContentTypeParser("*", (_request, _body, done) =>
    done(new Problem("unsupported_media_type", "This form takes text, not files.")),
  );
}
