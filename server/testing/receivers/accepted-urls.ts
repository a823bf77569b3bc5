import { SPECIAL_RANGES } from "./special-addresses.ts";

/** The public addresses next to ranges that are not public. */
export const PUBLIC_NEIGHBOURS: readonly string[] = SPECIAL_RANGES.flatMap(({ below, above }) =>
  [below, above].filter((address) => address !== undefined),
);

/** Valid webhook URLs, with the host and port that they lead to. */
export const ACCEPTED_URLS: readonly (readonly [url: string, hostname: string, port: number])[] = [
  ["https://example.com", "example.com", 443],
  ["https://example.com/", "example.com", 443],
  ["https://example.com:443/", "example.com", 443],
  ["https://example.com:8443/hook", "example.com", 8443],
  ["https://example.com:1024/", "example.com", 1024],
  ["https://example.com:3000/", "example.com", 3000],
  ["https://example.com:8080/", "example.com", 8080],
  ["https://example.com:9443/", "example.com", 9443],
  ["https://example.com:32768/", "example.com", 32768],
  ["https://example.com:65535/", "example.com", 65535],
  ["HTTPS://HOOK.Example.COM/Path", "hook.example.com", 443],
  ["https://a.b.c.d.e.example.co.uk/x/y/z", "a.b.c.d.e.example.co.uk", 443],
  ["https://my_app.example.com/", "my_app.example.com", 443],
  ["https://my-app--2.example.com/", "my-app--2.example.com", 443],
  ["https://123.example.com/", "123.example.com", 443],
  ["https://1.2.3.4.example.com/", "1.2.3.4.example.com", 443],
  ["https://0x7f.example/", "0x7f.example", 443],
  ["https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example", 443],
  ["https://XN--MNCHEN-3YA.example/", "xn--mnchen-3ya.example", 443],
  ["https://hook.xn--p1ai/", "hook.xn--p1ai", 443],
  // Names that only look reserved.
  ["https://localhost.example.com/", "localhost.example.com", 443],
  ["https://notlocalhost.com/", "notlocalhost.com", 443],
  ["https://mylocal.dev/", "mylocal.dev", 443],
  ["https://internal.example.com/", "internal.example.com", 443],
  ["https://ahome.arpa/", "ahome.arpa", 443],
  ["https://latest.latest/", "latest.latest", 443],
  ["https://onion.example/", "onion.example", 443],
  // What would be invalid in the host is fine after it.
  ["https://example.com/@user", "example.com", 443],
  ["https://example.com/?to=https://user@127.0.0.1:22/", "example.com", 443],
  ["https://example.com?x=1", "example.com", 443],
  ["https://example.com?a@b:c", "example.com", 443],
  ["https://example.com/%23%40%00", "example.com", 443],
  ["https://example.com//localhost/../a", "example.com", 443],
  ["https://example.com/gr\u00f6\u00dfe?\u00fc=\u2603", "example.com", 443],
  [`https://example.com/${"a".repeat(2_028)}`, "example.com", 443],
  [`https://example.com?${"a".repeat(2_028)}`, "example.com", 443],
  [`https://${"a".repeat(63)}.example.com/`, `${"a".repeat(63)}.example.com`, 443],
  [`https://${"a.".repeat(125)}com/`, `${"a.".repeat(125)}com`, 443],
  // Literals.
  ["https://8.8.8.8/", "8.8.8.8", 443],
  ["https://93.184.215.14:8443/hook", "93.184.215.14", 8443],
  ["https://[2606:4700::1111]/", "2606:4700::1111", 443],
  ["https://[2606:4700::1111]:8443/", "2606:4700::1111", 8443],
  ["https://[2A00:1450:4001:80B::200E]?x", "2a00:1450:4001:80b::200e", 443],
  ["https://[2606:4700:1:2:3:4:5:6]/", "2606:4700:1:2:3:4:5:6", 443],
  ["https://[2606:4700:0:1:0:1:0:1]/", "2606:4700:0:1:0:1:0:1", 443],
];
