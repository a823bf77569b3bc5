import { gzipSync } from "node:zlib";
import type { Random } from "../seed.ts";

export type HostileBody = { name: string; bytes: Buffer; contentType: string | undefined; encoding?: string };

const TOO_LARGE_BYTES = 64 * 1024 + 1;

/** A body that no schema accepts, or a content type that no route accepts. */
export function hostileBody(random: Random, planted: string): HostileBody {
  const name = random.pick(KINDS);
  const json = (text: string): HostileBody => ({ name, bytes: Buffer.from(text), contentType: JSON_TYPE });
  switch (name) {
    case "trap":
      return json(random.pick(JSON_TRAPS).replaceAll("PLANTED", planted));
    case "nested":
      return json(random.pick(["[", '{"a":', '{"lines":[', '[{"a":']).repeat(1 + random.below(3_000)));
    case "large":
      return json(`{"text":"${"x".repeat(TOO_LARGE_BYTES + random.below(60_000))}"}`);
    case "cut": {
      const text = `{"text":"${planted}","count":3,"lines":[{"id":"a"}]}`;
      return json(text.slice(0, random.below(text.length)));
    }
    case "noise":
      return {
        ...json(""),
        bytes: Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
      };
    case "flipped": {
      const bytes = Buffer.from(`{"text":"é😀","count":3,"lines":[{"id":"a"}]}`);
      bytes[random.below(bytes.length)] = random.below(256);
      return { ...json(""), bytes };
    }
    case "media type":
      return { ...json('{"text":"a"}'), contentType: random.pick(MEDIA_TYPES) };
    case "encoding":
      return { ...json(""), bytes: gzipSync('{"text":"a"}'), encoding: random.pick(ENCODINGS) };
  }
}

const JSON_TYPE = "application/json";
const KINDS = [
  "trap",
  "trap",
  "trap",
  "nested",
  "large",
  "cut",
  "noise",
  "flipped",
  "media type",
  "encoding",
] as const;

const MEDIA_TYPES = [
  undefined,
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=latin1",
  'application/json; charset="utf-16"',
  "application/json; charset=",
  "application/jsonp",
  "application/json-patch+json",
  "application/json, text/plain",
  "application/json; charset=utf-8; charset=latin1",
  "APPLICATION/JSON ; x=\x7f",
  "application/*",
  "*/*",
  "json",
  "a".repeat(4_000),
  "application/json\t;;;;",
] as const;

const ENCODINGS = ["gzip", "GZIP", "br", "deflate", "identity, gzip", "zstd", "x".repeat(500), ","];

const JSON_TRAPS = [
  '{"text":"a","text":"b"}',
  '{"text":"a","\\u0074ext":"PLANTED"}',
  '{"__proto__":{"text":"a"}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"hasOwnProperty":2}',
  '{"text":"\\u0000"}',
  '{"text":"\\ud800"}',
  '{"text":"\\udc00\\ud800"}',
  '{"count":9007199254740992}',
  '{"count":-9007199254740993}',
  '{"count":1e400}',
  '{"count":1e-7}',
  '{"count":01}',
  '{"count":0x1}',
  '{"count":NaN}',
  '{"count":"3"}',
  '{"count":true}',
  '{"count":null}',
  '{"count":51}',
  '{"count":[1]}',
  '{"text":{"$gt":""}}',
  '{"text":1}',
  '{"unknown":"PLANTED"}',
  '{"PLANTED":1}',
  '{"lines":[{"id":"a","cost":1}]}',
  '{"lines":{"length":1}}',
  '{"lines":[[]]}',
  `{"lines":[${'{"id":"a"},'.repeat(60)}{"id":"a"}]}`,
  `{${Array.from({ length: 300 }, (_, index) => `"k${index}":${index}`).join()}}`,
  '{"text":"a"} {"text":"b"}',
  '{"text":"a"}\0',
  "\ufeff{}",
  "{'text':'a'}",
  "{text:1}",
  '{"text":"a",}',
  "// {}\n{}",
  "null",
  "[]",
  '"PLANTED"',
  "1",
  " ",
  "<?xml version='1.0'?><a/>",
  "text=a&count=1",
] as const;
