/** The private key of RFC 9180, A.1.1, in hex. */
export const RECIPIENT = "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8";

/** Sealed by the server to RECIPIENT: a vector of ours, so that the two sides cannot change together. */
export const SEALED = {
  orderId: "ord_01m7ef4g9je00974k1yf0xf7j3",
  status: "completed",
  data: [
    {
      id: "cod_1",
      lineIndex: 2,
      unitIndex: 7,
      productId: "card",
      type: "code",
      sealed: {
        kid: "iyKM11q3C62-wb61Iz8Gig",
        enc: "QQ0egepBkgcj7f0_aJuaNw8aWCoMKQPGeoZkTf91fEA",
        ciphertext: "h0uj8D92xnYEHaZ-ALYEPW_0BrHv7JGsOJGRSXLMDIRXv_ARAteePzO-jzOdprr-7A",
      },
      deliveredAt: "2030-01-01T00:00:00.000Z",
    },
    {
      id: "cod_2",
      lineIndex: 3,
      productId: "gems",
      type: "topup",
      receipt: "R",
      deliveredAt: "2030-01-01T00:00:00.000Z",
    },
  ],
};
