/** Time allowed for running calls after the host ended or a signal arrived, in ms. */
export const callGraceMs = 5_000;
