/**
 * The active ISO 4217 currencies by number of decimals. The list does not come from Intl because CLDR reflects
 * common usage, which differs from the standard for some currencies.
 */
const CODES_BY_EXPONENT: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2:
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW " +
    "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF " +
    "IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK " +
    "MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP " +
    "SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER " +
    "ZAR ZMW ZWG",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_EXPONENT).flatMap(([exponent, codes]) =>
    codes.split(" ").map((code): [string, number] => [code, Number(exponent)]),
  ),
);

export const isCurrency = (code: string): boolean => exponents.has(code);

/** A currency as people type it: "eur" is EUR. What is none is quoted as it was typed. */
export function parseCurrency(text: string): string {
  const code = text.trim().toUpperCase();
  if (isCurrency(code)) return code;
  throw new RangeError(`"${text}" is not an ISO-4217 currency; write its three letters, such as EUR`);
}

/** The number of decimals of a currency in ISO 4217. */
export function minorUnitExponent(currency: string): number {
  const exponent = exponents.get(currency);
  if (exponent === undefined) throw new RangeError(`${currency} is not an ISO 4217 currency`);
  return exponent;
}
