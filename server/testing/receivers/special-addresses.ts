/** A range that is not public: three of its addresses, and the public neighbors of its first and last. */
export type SpecialRange = {
  name: string;
  first: string;
  middle: string;
  last: string;
  below: string | undefined;
  above: string | undefined;
};

// Written by hand, independent of the code's own table, so that a mistake in one is not repeated in the other. IPv6
// is in canonical form. A neighbor that is not public itself, or that another row has, is "-".
const ROWS = `
this-network      0.0.0.0          0.1.2.3          0.255.255.255    -                1.0.0.0
private-10        10.0.0.0         10.20.30.40      10.255.255.255   9.255.255.255    11.0.0.0
carrier-nat       100.64.0.0       100.100.100.200  100.127.255.255  100.63.255.255   100.128.0.0
loopback          127.0.0.0        127.0.0.1        127.255.255.255  126.255.255.255  128.0.0.0
link-local        169.254.0.0      169.254.169.254  169.254.255.255  169.253.255.255  169.255.0.0
private-172       172.16.0.0       172.20.0.5       172.31.255.255   172.15.255.255   172.32.0.0
protocols         192.0.0.0        192.0.0.170      192.0.0.255      191.255.255.255  192.0.1.0
documentation-1   192.0.2.0        192.0.2.77       192.0.2.255      192.0.1.255      192.0.3.0
as112             192.31.196.0     192.31.196.9     192.31.196.255   192.31.195.255   192.31.197.0
amt               192.52.193.0     192.52.193.100   192.52.193.255   192.52.192.255   192.52.194.0
6to4-relays       192.88.99.0      192.88.99.1      192.88.99.255    192.88.98.255    192.88.100.0
private-192       192.168.0.0      192.168.1.1      192.168.255.255  192.167.255.255  192.169.0.0
as112-direct      192.175.48.0     192.175.48.6     192.175.48.255   192.175.47.255   192.175.49.0
benchmarks        198.18.0.0       198.19.0.0       198.19.255.255   198.17.255.255   198.20.0.0
documentation-2   198.51.100.0     198.51.100.128   198.51.100.255   198.51.99.255    198.51.101.0
documentation-3   203.0.113.0      203.0.113.10     203.0.113.255    203.0.112.255    203.0.114.0
multicast         224.0.0.0        239.1.2.3        239.255.255.255  223.255.255.255  -
reserved          240.0.0.0        250.4.3.2        255.255.255.254  -                -
broadcast         255.255.255.255  255.255.255.255  255.255.255.255  -                -
unspecified       ::  ::  ::  -  -
loopback-6        ::1  ::1  ::1  -  -
compatible        ::  ::c0a8:101  ::ffff:ffff  -  -
mapped            ::ffff:0:0  ::ffff:808:808  ::ffff:ffff:ffff  -  -
translated        ::ffff:0:0:0  ::ffff:0:a00:1  ::ffff:0:ffff:ffff  -  -
nat64             64:ff9b::  64:ff9b::808:808  64:ff9b::ffff:ffff  -  -
nat64-local       64:ff9b:1::  64:ff9b:1:a:b:c:d:e  64:ff9b:1:ffff:ffff:ffff:ffff:ffff  -  -
discard           100::  100::dead:beef  100::ffff:ffff:ffff:ffff  -  -
dummy             100:0:0:1::  100:0:0:1::1  100::1:ffff:ffff:ffff:ffff  -  -
before-global     ::  1000::1  1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  2000::
protocols-6       2001::  2001:100::1  2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff  2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff  2001:200::
teredo            2001::  2001:0:4136:e378:8000:63bf:3fff:fdd2  2001:0:ffff:ffff:ffff:ffff:ffff:ffff  -  -
anycasts          2001:1::1  2001:1::2  2001:1::3  -  -
benchmarks-6      2001:2::  2001:2::1  2001:2:0:ffff:ffff:ffff:ffff:ffff  -  -
amt-6             2001:3::  2001:3:1::1  2001:3:ffff:ffff:ffff:ffff:ffff:ffff  -  -
as112-6           2001:4:112::  2001:4:112::1  2001:4:112:ffff:ffff:ffff:ffff:ffff  -  -
orchid            2001:10::  2001:15::1  2001:1f:ffff:ffff:ffff:ffff:ffff:ffff  -  -
orchid-2          2001:20::  2001:25::1  2001:2f:ffff:ffff:ffff:ffff:ffff:ffff  -  -
drone-ids         2001:30::  2001:35::1  2001:3f:ffff:ffff:ffff:ffff:ffff:ffff  -  -
documentation-6   2001:db8::  2001:db8::1  2001:db8:ffff:ffff:ffff:ffff:ffff:ffff  2001:db7:ffff:ffff:ffff:ffff:ffff:ffff  2001:db9::
6to4              2002::  2002:808:808::1  2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff  2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff  2003::
as112-direct-6    2620:4f:8000::  2620:4f:8000::6  2620:4f:8000:ffff:ffff:ffff:ffff:ffff  2620:4f:7fff:ffff:ffff:ffff:ffff:ffff  2620:4f:8001::
documentation-20  3fff::  3fff:123::1  3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff  3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff  3fff:1000::
after-global      4000::  a000::1  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -
segment-routing   5f00::  5f00:1234::1  5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  -
unique-local      fc00::  fd12:3456:789a::1  fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  -
link-local-6      fe80::  fe80::1  febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  -
site-local        fec0::  fec0::1  feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  -
multicast-6       ff00::  ff02::1  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -  -
`;

/** Every range of the two IANA registries, and all other space that is not public unicast. */
export const SPECIAL_RANGES: readonly SpecialRange[] = ROWS.trim().split("\n").map(readRow);

function readRow(row: string): SpecialRange {
  const [name, first, middle, last, below, above] = row.split(/\s+/);
  if (!name || !first || !middle || !last || !below || !above) throw new Error(`not a row of six: ${row}`);
  return { name, first, middle, last, below: neighbour(below), above: neighbour(above) };
}

function neighbour(text: string): string | undefined {
  return text === "-" ? undefined : text;
}

const EMBEDDED_V4 = [
  ["127.0.0.1", "7f00:1", "80ff:fffe"],
  ["169.254.169.254", "a9fe:a9fe", "5601:5601"],
  ["10.0.0.1", "a00:1", "f5ff:fffe"],
  ["8.8.8.8", "808:808", "f7f7:f7f7"],
] as const;

/** Canonical IPv6 addresses that embed an IPv4 address, public or not, in every possible way. */
export const CARRIERS: readonly string[] = EMBEDDED_V4.flatMap(([, hex, inverted]) => [
  `::ffff:${hex}`,
  `::${hex}`,
  `::ffff:0:${hex}`,
  `64:ff9b::${hex}`,
  `64:ff9b:1::${hex}`,
  `2002:${hex}::`,
  `2002:${hex}::1`,
  `2001:0:${hex}::1`,
  `2001:0:4136:e378:8000:63bf:${inverted}`,
]);

/** The same with the IPv4 address in dots, which is valid but not canonical. */
export const DOTTED_CARRIERS: readonly string[] = EMBEDDED_V4.flatMap(([dotted]) =>
  ["::ffff:", "::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "0:0:0:0:0:ffff:", "::FFFF:"].map(
    (prefix) => prefix + dotted,
  ),
);
