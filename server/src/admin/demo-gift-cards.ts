import type { ProductFileRow } from "../catalog/files/product-file.ts";

/** Gift cards of fictional brands, in currencies with zero, two and three decimals. */
export const demoGiftCards: readonly ProductFileRow[] = [
  { id: "nimbus-us-10", name: "Nimbus Store 10 USD", faceValue: { amount: "10.00", currency: "USD" } },
  { id: "nimbus-us-25", name: "Nimbus Store 25 USD", faceValue: { amount: "25.00", currency: "USD" } },
  { id: "nimbus-us-50", name: "Nimbus Store 50 USD", faceValue: { amount: "50.00", currency: "USD" } },
  {
    id: "nimbus-us-100",
    name: "Nimbus Store 100 USD",
    faceValue: { amount: "100.00", currency: "USD" },
    bonus: "5.00 USD extra store credit",
    maxQuantity: 5,
  },
  {
    id: "nimbus-us-500",
    name: "Nimbus Store 500 USD (pilot)",
    faceValue: { amount: "500.00", currency: "USD" },
    maxQuantity: 1,
    hidden: true,
  },
  { id: "nimbus-eu-10", name: "Nimbus Store 10 EUR", faceValue: { amount: "10.00", currency: "EUR" } },
  { id: "nimbus-eu-25", name: "Nimbus Store 25 EUR", faceValue: { amount: "25.00", currency: "EUR" } },
  { id: "nimbus-eu-50", name: "Nimbus Store 50 EUR", faceValue: { amount: "50.00", currency: "EUR" } },
  { id: "nimbus-uk-20", name: "Nimbus Store 20 GBP", faceValue: { amount: "20.00", currency: "GBP" } },
  { id: "nimbus-jp-1000", name: "Nimbus Store 1,000 JPY", faceValue: { amount: "1000", currency: "JPY" } },
  { id: "nimbus-jp-3000", name: "Nimbus Store 3,000 JPY", faceValue: { amount: "3000", currency: "JPY" } },
  { id: "nimbus-kw-5", name: "Nimbus Store 5 KWD", faceValue: { amount: "5.000", currency: "KWD" } },
  {
    id: "nimbus-kw-20",
    name: "Nimbus Store 20 KWD (price to follow)",
    faceValue: { amount: "20.000", currency: "KWD" },
  },
  { id: "nimbus-br-50", name: "Nimbus Store 50 BRL", faceValue: { amount: "50.00", currency: "BRL" } },
  {
    id: "lumora-us-999",
    name: "Lumora Music, one month, US",
    faceValue: { amount: "9.99", currency: "USD" },
    bonus: "First week free",
    maxQuantity: 3,
  },
  {
    id: "lumora-us-5999",
    name: "Lumora Music, half a year, US (discontinued)",
    faceValue: { amount: "59.99", currency: "USD" },
    active: false,
  },
  {
    id: "lumora-eu-999",
    name: "Lumora Music, one month, EU",
    faceValue: { amount: "9.99", currency: "EUR" },
  },
  { id: "quillbox-uk-15", name: "Quillbox Books 15 GBP", faceValue: { amount: "15.00", currency: "GBP" } },
  {
    id: "saffron-in-1000",
    name: "Saffron Table 1,000 INR",
    faceValue: { amount: "1000.00", currency: "INR" },
  },
  { id: "zephyr-ae-100", name: "Zephyr Rides 100 AED", faceValue: { amount: "100.00", currency: "AED" } },
  { id: "harborvale-ca-50", name: "Harbor & Vale 50 CAD", faceValue: { amount: "50.00", currency: "CAD" } },
  { id: "orbitmart-mx-500", name: "Orbitmart 500 MXN", faceValue: { amount: "500.00", currency: "MXN" } },
  {
    id: "kettlebird-us-5",
    name: "Kettlebird Coffee 5 USD, in packs",
    faceValue: { amount: "5.00", currency: "USD" },
    minQuantity: 5,
    maxQuantity: 500,
  },
  {
    id: "pinewave-kr-30000",
    name: "Pinewave Play 30,000 KRW",
    faceValue: { amount: "30000", currency: "KRW" },
  },
];
